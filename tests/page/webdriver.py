"""A browser, through chromedriver and the WebDriver protocol (W3C) over plain HTTP."""

import base64
import json
import shutil
import subprocess
import time
import urllib.error
import urllib.request
from pathlib import Path

KEYS = {
    "Enter": "\ue007", "Escape": "\ue00c", "ArrowDown": "\ue015", "ArrowUp": "\ue013", "Tab": "\ue004", "Home": "\ue011",
    "Shift": "\ue008",
}
ELEMENT = "element-6066-11e4-a52e-4f735466cecf"


def programs():
    """Returns the paths of a browser and of its driver; None for one that is not installed."""
    browsers = ["chromium", "chromium-browser", "google-chrome", "chrome"]
    browser = next((found for name in browsers if (found := shutil.which(name))), None)
    return browser, shutil.which("chromedriver")


class Failed(Exception):
    """A command of the driver failed."""


class Browser:
    """One window of a headless browser."""

    def __init__(self, browser, driver, width, height, is_phone=False):
        self.process = subprocess.Popen([driver, "--port=0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.base = f"http://127.0.0.1:{self._port()}"
        options = {
            "binary": browser,
            "args": ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
                     "--disable-background-networking", "--disable-component-update", "--disable-sync", "--force-color-profile=srgb",
                     f"--window-size={width},{height}"],
        }
        wanted = {"browserName": "chrome", "goog:chromeOptions": options, "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"}}
        told = self._send("POST", "/session", {"capabilities": {"alwaysMatch": wanted}})
        self.session = f"/session/{told['sessionId']}"
        metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": is_phone}
        self.cdp("Emulation.setDeviceMetricsOverride", metrics)

    def _port(self):
        for line in self.process.stdout:
            if "started successfully on port" in line:
                return int(line.split("port")[1].strip(" .\n"))
        raise Failed("chromedriver did not start")

    def _send(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.base + path, data, {"Content-Type": "application/json"}, method=method)
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise Failed(json.load(error)["value"]["message"].split("\n")[0]) from None

    def close(self):
        """Ends the browser and its driver."""
        try:
            self._send("DELETE", self.session)
        finally:
            self.process.terminate()
            self.process.wait(10)

    def cdp(self, command, parameters=None):
        """Sends a command of the Chrome DevTools Protocol."""
        return self._send("POST", f"{self.session}/goog/cdp/execute", {"cmd": command, "params": parameters or {}})

    def open(self, address):
        """Goes to an address."""
        self._send("POST", f"{self.session}/url", {"url": address})

    def run(self, script, *arguments):
        """Runs the body of a function in the page and returns its result. Awaits a promise."""
        return self._send("POST", f"{self.session}/execute/sync", {"script": script, "args": list(arguments)})

    def keys(self, *keys):
        """Presses keys, one after the other, at the focus. Types a text of several characters."""
        pressed = [key for text in keys for key in ([KEYS[text]] if text in KEYS else text)]
        actions = [action for key in pressed for action in ({"type": "keyDown", "value": key}, {"type": "keyUp", "value": key})]
        self._send("POST", f"{self.session}/actions", {"actions": [{"type": "key", "id": "keys", "actions": actions}]})

    def click(self, selector):
        """Clicks the first element that matches a selector."""
        found = self._send("POST", f"{self.session}/element", {"using": "css selector", "value": selector})
        self._send("POST", f"{self.session}/element/{found[ELEMENT]}/click", {})

    def wait(self, script, *arguments, seconds=10):
        """Waits until a script returns a true value, and returns it."""
        end = time.monotonic() + seconds
        while True:
            found = self.run(script, *arguments)
            if found:
                return found
            if time.monotonic() > end:
                raise Failed(f"timed out after {seconds} s: {script} {arguments}")
            time.sleep(0.05)

    def wait_for(self, selector, seconds=10):
        """Waits for a visible element."""
        self.wait("const e = document.querySelector(arguments[0]); return !!e && e.getClientRects().length > 0", selector, seconds=seconds)

    def text(self, selector="body"):
        """Returns the visible text of an element."""
        return self.run("return document.querySelector(arguments[0])?.innerText ?? ''", selector)

    def log(self, kind):
        """Returns the entries of a log since the last call: `browser` or `performance`."""
        return self._send("POST", f"{self.session}/se/log", {"type": kind})

    def picture(self, path: Path):
        """Saves a screenshot."""
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(base64.b64decode(self._send("GET", f"{self.session}/screenshot")))
