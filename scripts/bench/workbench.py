"""Shared by the benchmarks: made-up notes, the usual options, Python environments, waiting, and the words for times and machines."""

import os
import random
import statistics
import subprocess
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
# Values of `embedding.instructions`, the fastest first.
INSTRUCTIONS = ("avx-512-vnni", "avx-vnni", "avx2", "sse4.1", "neon-with-i8mm", "neon-with-dot-products", "neon", "portable")
# Seconds after which a command counts as hanging.
TIMEOUT = 1800
SYLLABLES = "ba be bi bo bu da de di do du ka ke ki ko ku la le li lo lu ma me mi mo mu na ne ni no nu ra re ri ro ru".split()
FREQUENT = """
    the of and to in is that for it with as was on be by this are from at or have an they which one you had not but what
    all were when we there can more if no out so up about who them some her would make like him into time has look two
    write go see number way could people my than first water been call oil its now find long down day did get come made
    may part over new sound take only little work know place year live me back give most very after thing our just name
    good sentence man think say great where help through much before line right too mean old any same tell boy follow came
    want show also around form three small set put end does another well large must big even such because turn here why
    ask went men read need land different home us move try kind hand picture again change off play spell air away animal
    house point page letter mother answer found study still learn should world high every near add food between own below
    country plant last school father keep tree never start city earth eye light thought head under story saw left few
    while along might close something seem next hard open example begin life always those both paper together got group
    often run important until children side feet car mile night walk white sea began grow took river four carry state once
    book hear stop without second later miss idea enough eat face watch far really almost let above girl sometimes
    mountain cut young talk soon list song being leave family meeting project server budget invoice garden kitchen bread
    recipe train ticket doctor contract deadline release branch database index query cache memory model vector token
    editor keyboard monitor cable battery printer backup folder vault note password network router sensor cluster
    container pipeline
""".split()


class Notes:
    """Notes of frequent English words and rare made-up ones, distributed as in natural text. The same seed gives the same notes."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        rare = {"".join(self.random.choices(SYLLABLES, k=self.random.choice((2, 2, 3)))) for _ in range(9000)}
        rare = sorted(rare - set(FREQUENT))
        self.random.shuffle(rare)
        self.words = list(dict.fromkeys(FREQUENT)) + rare
        self.weights = [1 / (rank + 5) for rank in range(len(self.words))]

    def sentence(self, count):
        return " ".join(self.random.choices(self.words, self.weights, k=count)).capitalize() + "."

    def note(self, sections=5, sentences=9):
        parts = [f"# {self.sentence(4)}\n"]
        for _ in range(sections):
            parts.append(f"## {self.sentence(3)}\n\n" + " ".join(self.sentence(12) for _ in range(sentences)) + "\n")
        return "\n".join(parts)

    def question(self):
        # Words from the middle of the list: some notes contain them, most do not.
        return " ".join(self.random.sample(self.words[150:2000], 3))


def add_options(parser, models=True):
    """Adds the options --bin and --models to a parser."""
    parser.add_argument("--bin", default=os.path.join(ROOT, "target/release/tars"))
    if models:
        parser.add_argument("--models", default=os.environ.get("TARS_MODELS_DIR"))


def parsed(parser, model_file=None):
    """Returns the options. The program, and the file of a model if one is named, have to exist."""
    options = parser.parse_args()
    options.bin = os.path.abspath(options.bin)
    if not os.access(options.bin, os.X_OK):
        parser.error(f"{options.bin} does not exist: cargo build --release, or --bin PATH")
    if model_file and not os.path.isfile(os.path.join(options.models or "/nowhere", model_file)):
        parser.error("there is no model: scripts/install-models, or --models DIR")
    return options


def python_with(packages, folder):
    """Returns a Python that has the packages of PyPI. Makes a virtual environment in the folder unless one is there."""
    python = os.path.join(folder, "bin", "python")
    if not os.path.exists(python):
        print(f"fetching {', '.join(packages)}", file=sys.stderr, flush=True)
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *packages], check=True)
    return python


def run_measured(command, **options):
    """Runs a command. Returns its seconds, its CPU seconds (user and system) and the most resident MiB."""
    started = time.perf_counter()
    process = subprocess.Popen(command, **options)
    _, status, used = os.wait4(process.pid, 0)
    wall = time.perf_counter() - started
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in (0, 1):
        raise SystemExit(f"{' '.join(command)} ended with {process.returncode}")
    return {"wall": wall, "cpu": used.ru_utime + used.ru_stime, "memory": used.ru_maxrss / 1024}


def seconds(work):
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def spread(times):
    ordered = sorted(times)
    high = ordered[min(len(ordered) - 1, int(len(ordered) * 0.95))]
    return f"{1000 * statistics.median(times):.1f} ms median, {1000 * high:.1f} ms p95"


def until(holds, what, pause=0.05):
    deadline = time.monotonic() + TIMEOUT
    while not holds():
        if time.monotonic() > deadline:
            raise SystemExit(f"timed out: {what}")
        time.sleep(pause)


def machine():
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        names = [line.split(":", 1)[1].strip() for line in file if line.startswith(("model name", "Model"))]
    return f"{len(os.sched_getaffinity(0))} cores, {names[0] if names else os.uname().machine}"
