"""From saved sessions to results, figures and a report.

Data flow in one direction:

    extract, conduct
                 one log -> small arrays, and how the session went
    gather, flow which sessions are included, and why the others are not; blind or not
    decisions    what the experimenter decided: exclusions, deletions, the unblinding
    sample       the included sessions: their models, targets and rounds
    rewards, finding, answers, planners, steering, times, order, questionnaires
                 one module per question that the analysis answers: sample -> result
    comparisons  every statistic of two models, from rewards and finding
    results      all of these together
    main_result, notes, sentences, explanations, quality
                 results -> sentences
    summary, figures, report, terminal
                 results -> JSON, SVG (and PDF), HTML, text
    collecting   instead of all results, while a blind study collects: the quality of the data
    effects      by how much two models differ: sample -> sizes with their intervals
    power, power_files, power_terminal
                 how many participants a study needs to show an effect: effects -> JSON and CSV, text
    planned_power, preregistration
                 a study as a registry asks for it: its power, and a document
    registered, deviations
                 whether what was run is what was registered, difference by difference
    people/      how people answer: rounds of any sessions -> a file of people
"""
