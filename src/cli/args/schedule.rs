//! `tars schedule`

use std::path::PathBuf;

use tars_config::{CronTimes, Delivery, ScheduleSettings, ScheduleTimes};

/// `tars schedule`
#[derive(Debug, clap::Subcommand)]
pub(crate) enum Schedule {
    /// Show each schedule, when it runs next and how its last run ended.
    ///
    /// Exit codes: 0 there are schedules, 1 there are none, 2 an error.
    List {
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
    /// Add a schedule to your configuration file.
    Add(AddSchedule),
    /// Import the schedules of another assistant's schedules.json.
    ///
    /// Shows them and asks. Skips schedules that would run a program or contain an address.
    ///
    /// Exit codes: 0 some were added, 1 none was, 2 an error.
    Import {
        /// The file: a list, or an object with a list under "schedules".
        file: PathBuf,
        /// Add them without asking.
        #[arg(long)]
        yes: bool,
    },
    /// Remove a schedule from your configuration file.
    ///
    /// Exit codes: 0 it is removed, 1 there was none, 2 an error.
    Remove {
        /// Its name.
        name: String,
    },
    /// Enable a schedule; missed runs are not made up.
    Enable {
        /// Its name.
        name: String,
    },
    /// Disable a schedule.
    Disable {
        /// Its name.
        name: String,
    },
}

/// `tars schedule add`
#[derive(Debug, clap::Args)]
pub(crate) struct AddSchedule {
    /// Its name: at most 40 letters, digits, - and _.
    #[arg(value_parser = name)]
    pub(crate) name: String,
    /// Run every day at this time, such as 07:30.
    #[arg(long, value_name = "TIME", value_parser = at, required_unless_present = "cron", conflicts_with = "cron")]
    pub(crate) at: Option<ScheduleTimes>,
    /// Run at these times: minute hour day month weekday.
    #[arg(long, value_name = "FIELDS", value_parser = cron)]
    pub(crate) cron: Option<ScheduleTimes>,
    /// A slash command such as /brief, or a message.
    #[arg(long, value_name = "TEXT")]
    pub(crate) action: String,
    /// Destinations: daily_memory, stdout, notify, command or webhook; separated by commas.
    #[arg(long, value_name = "PLACES", value_delimiter = ',', value_parser = delivery, default_value = "daily_memory")]
    pub(crate) deliver: Vec<Delivery>,
    /// The address for --deliver webhook.
    #[arg(long, value_name = "URL")]
    pub(crate) url: Option<String>,
    /// The environment variable with the token of that address.
    #[arg(long, value_name = "VARIABLE", requires = "url")]
    pub(crate) token_env: Option<String>,
    /// Timeout of a run, in seconds.
    #[arg(long, value_name = "SECONDS", default_value_t = 300, value_parser = clap::value_parser!(u64).range(1..=3600))]
    pub(crate) timeout: u64,
    /// The program and its arguments for --deliver command; comes last.
    #[arg(long, value_name = "PROGRAM", num_args = 1.., allow_hyphen_values = true)]
    pub(crate) command: Vec<String>,
}

fn name(text: &str) -> Result<String, String> {
    let expected = || "a name has 1 to 40 ASCII letters, digits, '-' and '_'".to_owned();
    ScheduleSettings::is_name(text).then(|| text.to_owned()).ok_or_else(expected)
}

fn at(text: &str) -> Result<ScheduleTimes, String> {
    ScheduleTimes::parse_at(text).ok_or_else(|| "a time of the day, such as 07:30".to_owned())
}

fn cron(text: &str) -> Result<ScheduleTimes, String> {
    CronTimes::parse(text).map(ScheduleTimes::Cron)
}

fn delivery(text: &str) -> Result<Delivery, String> {
    Delivery::parse(text).ok_or_else(|| "one of daily_memory, stdout, notify, command, webhook".to_owned())
}
