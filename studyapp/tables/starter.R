# A start for your own analysis in R: the main result, a mixed model, and the curves.
#
#     Rscript starter.R
#
# Run it in this folder, beside data/.  README.md explains every table and column.

options(width = 120)
read_table <- function(name) {
  file <- Sys.glob(sprintf("data/*_description-%s_data.csv", name))
  read.csv(file, colClasses = c(participant = "character"), na.strings = "", encoding = "UTF-8")
}
participants <- read_table("participants")
rounds <- read_table("rounds")
answers <- read_table("answers")

# Who: finished sessions of one study, of people if there are any (as studyapp analyse chooses them)
finished <- subset(participants, state == "finished" & !excluded %in% TRUE)  # empty where nobody decided
kind <- intersect(c("person", "imported", "simulated"), finished$kind)[1]
title <- names(which.max(table(finished$title[finished$kind == kind])))
who <- finished$participant[finished$kind == kind & finished$title == title]

# What: complete rounds, without practice, on targets that were completed with every model
rounds <- subset(rounds, counted & participant %in% who)
if (nrow(rounds) == 0) stop("there are no finished sessions with rounds to compare")
models <- sort(unique(rounds$model), method = "radix")
rounds$model <- factor(rounds$model, models)
persons <- length(unique(rounds$participant))
cat(sprintf("%s: %d participants (%s), %d rounds\n", title, persons, kind, nrow(rounds)))


# The main result: each participant's mean over targets, and paired t-tests over participants.
# A round that didn't find the target is censored after its last question, so the mean time to find is the one
# restricted to the questions of a round.  (Its curve: survfit(Surv(time_to_find, found) ~ model, rounds))

outcomes <- c("found", "time_to_find", "cumulative_reward")
means <- aggregate(rounds[outcomes], rounds[c("participant", "model")], mean)

compare <- function(outcome, one, other) {
  both <- merge(means[means$model == one, ], means[means$model == other, ], by = "participant")
  x <- both[[paste0(outcome, ".x")]]
  y <- both[[paste0(outcome, ".y")]]
  row <- data.frame(outcome = outcome, one = mean(x), other = mean(y), difference = mean(x - y))
  if (!isTRUE(sd(x - y) > 1e-12)) return(cbind(row, low = NA, high = NA, t = NA, df = NA, p = NA))
  test <- t.test(x, y, paired = TRUE)
  cbind(
    row,
    low = test$conf.int[1], high = test$conf.int[2],
    t = test$statistic, df = test$parameter, p = test$p.value
  )
}

for (pair in combn(models, 2, simplify = FALSE)) {
  result <- do.call(rbind, lapply(outcomes, compare, pair[1], pair[2]))
  names(result)[2:3] <- pair
  cat(sprintf("\n%s minus %s, with a 95 %% interval\n", pair[1], pair[2]))
  print(result, digits = 5, row.names = FALSE)
}


# Targets are a sample, too, crossed with participants.  The difference of a participant's two rounds with a
# target has neither's own level in it, but it may still differ between participants and between targets.

by_round <- aggregate(cumulative_reward ~ participant + target + model, rounds, mean)

for (pair in combn(models, 2, simplify = FALSE)) {
  one <- subset(by_round, model == pair[1])
  other <- subset(by_round, model == pair[2])
  both <- merge(one, other, by = c("participant", "target"))
  both$difference <- both$cumulative_reward.x - both$cumulative_reward.y
  cat(sprintf("\n%s minus %s in cumulative_reward, mixed model\n", pair[1], pair[2]))
  if (!requireNamespace("lme4", quietly = TRUE)) {
    cat('It needs the package lme4: install.packages("lme4")\n')
    next
  }
  tryCatch({
    fit <- lme4::lmer(difference ~ 1 + (1 | participant) + (1 | target), both)
    print(coef(summary(fit)), digits = 5)
    print(lme4::VarCorr(fit), comp = "Variance", digits = 5)
  }, error = function(problem) cat("It can't be fitted:", conditionMessage(problem), "\n"))
}


# The curves: means and 95 % intervals over participants, by question

answers <- merge(answers, rounds[c("participant", "round")])
answers$found <- answers$found_before | answers$word == answers$target
curves <- aggregate(cbind(cumulative_reward, found) ~ participant + model + question, answers, mean)
colours <- hcl.colors(max(3, length(models)), "Dark 3")[seq_along(models)]

half_interval <- function(x) if (length(x) < 2) 0 else qt(0.975, length(x) - 1) * sd(x) / sqrt(length(x))

draw <- function(outcome, label) {
  by <- list(curves$question, factor(curves$model, models))
  middle <- tapply(curves[[outcome]], by, mean)  # (questions, models)
  half <- tapply(curves[[outcome]], by, half_interval)
  question <- as.numeric(rownames(middle))
  plot(
    range(question), range(0, middle + half),
    type = "n", bty = "l", las = 1, xlab = "Question", ylab = label
  )
  for (i in seq_along(models)) {
    area <- c(middle[, i] - half[, i], rev(middle[, i] + half[, i]))
    polygon(c(question, rev(question)), area, col = adjustcolor(colours[i], 0.2), border = NA)
    lines(question, middle[, i], col = colours[i], lwd = 2)
  }
  legend("topleft", models, col = colours, lwd = 2, bty = "n")
}

pdf("curves.pdf", width = 9, height = 4.5)
par(mfrow = c(1, 2), mar = c(4, 4, 1, 1))
draw("cumulative_reward", "Mean cumulative reward")
draw("found", "Share of rounds with the target found")
invisible(dev.off())
cat("\nThe curves are in curves.pdf\n")
