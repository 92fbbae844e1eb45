"""Tests the page in a real browser, with a real `tars serve` on a made-up vault.

    scripts/checks/page [--tars PATH] [--pictures FOLDER] [--model] [--only WORD]

Without a browser and its driver (Debian: chromium, chromium-driver) it prints "skipped" and ends with success. With --model it searches
by meaning too, which needs a release build; without it, by words alone.
"""

import argparse
import os
import shutil
import sys
import tempfile
import time
import traceback
from pathlib import Path

import chatting
import checks
from model import Model
from sample import ROOT, Sample
from server import Server
from webdriver import Browser, programs

SIZES = {"wide": (1280, 800, False), "phone": (390, 844, True)}


def main():
    """Runs each check in both sizes, unless the check is for the wide one alone."""
    parser = argparse.ArgumentParser(prog="scripts/checks/page", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    target = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
    parser.add_argument("--tars", type=Path, default=target / "release" / "tars", help="the program (default: %(default)s)")
    parser.add_argument("--pictures", type=Path, help="keep pictures of all views in this folder")
    parser.add_argument("--model", action="store_true", help="search by meaning too (TARS_MODELS_DIR)")
    parser.add_argument("--for-docs", type=Path, help="only take the pictures for docs/page.md and docs/assistant.md, into this folder")
    parser.add_argument("--only", default="", help="only checks whose names contain this word")
    options = parser.parse_args()
    browser, driver = programs()
    if not browser or not driver:
        print(f"skipped: {'a browser (chromium)' if not browser else 'its driver (chromedriver)'} is not installed")
        return 0
    if not options.tars.is_file():
        print(f"skipped: {options.tars} does not exist: cargo build --release, or --tars PATH")
        return 0
    if options.for_docs:
        window, folder = (browser, driver, 1120, 700, False), options.for_docs.absolute()
        errors = [error for take in (checks.take_pictures, chatting.take_pictures) if (error := one(take, options, window, folder))]
        print("\n".join(errors) or f"the pictures are in {options.for_docs}")
        return 1 if errors else 0
    failed, count = [], 0
    pictures = options.pictures and options.pictures.absolute()
    for size, (width, height, is_phone) in SIZES.items():
        for check in checks.CHECKS + chatting.CHECKS:
            if options.only not in check.__name__ or (is_phone and check in checks.WIDE_ALONE | chatting.WIDE_ALONE):
                continue
            count += 1
            name = f"{check.__name__} ({size})"
            started = time.monotonic()
            error = one(check, options, (browser, driver, width, height, is_phone), pictures)
            print(f"{'failed' if error else 'ok'}  {name}  {time.monotonic() - started:.1f} s", flush=True)
            if error:
                print(error, flush=True)
                failed.append(name)
    print(f"{count - len(failed)} of {count} checks passed" + (f"; failed: {', '.join(failed)}" if failed else ""))
    return 1 if failed else 0


def one(check, options, window, pictures):
    """Runs a check in a home and a browser of its own. Returns the error, or None."""
    home = Path(tempfile.mkdtemp(prefix="tars-page-"))
    server = browser = model = None
    try:
        provider = "onnx" if options.model else "none"
        sample = Sample(options.tars.absolute(), home, provider, os.environ.get("TARS_MODELS_DIR"), hostile=check in checks.HOSTILE)
        if check in chatting.WITH_MODEL:
            model = Model()
            sample.environment |= model.environment
        server = Server(sample)
        browser = Browser(*window)
        look = checks.Look(browser, server, sample, window[4], pictures)
        look.model = model
        check(look)
        look.nothing_was_refused_or_loaded_elsewhere()
        return None
    except Exception:  # Any exception is the result of the check.
        if browser:
            browser.picture(Path(tempfile.gettempdir()) / f"tars-page-{check.__name__}.png")
        said = server.log() if server else ""
        return "    " + (traceback.format_exc() + said).strip().replace("\n", "\n    ")
    finally:
        for part in (browser, server, model):
            if part:
                part.close()
        shutil.rmtree(home, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
