"""From saved sessions to results, figures and a report.

Data flow in one direction:

    extract      one log -> small arrays, and how the session went
    gather       which sessions are included, and why the others are not; blind or not
    notes        what a reader must know of them: the flow of participants, the experimenter's decisions
    sample       the included sessions: their models, targets and rounds
    outcomes     what models are compared in: reward, targets found, time to find them
    curves, answers, teachers, quality, order, questionnaires
                 one module per question that the analysis answers: sample -> result
    comparisons  every statistic of two models in every outcome
    results      all of these together
    main_result, explanations
                 results -> sentences
    summary, figures, report, terminal
                 results -> JSON, SVG (and PDF), HTML, text
    collecting   instead of all results, while a blind study collects: the quality of the data
    power, power_terminal
                 how many participants a study needs to show an effect: comparisons -> JSON, text
    preregistration
                 a study as a registry asks for it: a document
    registered   whether what was run is what was registered, difference by difference
    people_sessions, people
                 how people answer: answers of any sessions -> a file of people
"""
