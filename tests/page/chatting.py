"""Checks of the page's Chat view, with a scripted model."""

import time

from checks import expect
from model import begins, calls, says

FACT = "The second box costs 61.20 a year."
ANSWER = """The starter comes back in **three days**:

1. Throw away all but a spoon of it.
2. Feed it rye and water, `1:1:1`, twice a day.

It stands in [[Sourdough starter]]."""
HOSTILE = """<img src=x onerror="window.pwned = 1"><script>window.pwned = 1</script>
![a beacon](https://tracker.invalid/pixel.png) [click](javascript:window.pwned=1) [out](https://example.org/ok)
The file is called gpj.\u202eexe. <form action="https://tracker.invalid/"><input name=q></form>"""


def speak(look, text):
    """Types a message and sends it."""
    look.browser.wait("return document.activeElement.id === 'message' || (document.getElementById('message').focus(), false)")
    look.browser.keys(text, "Enter")


def rests(look):
    """Waits until no answer is in progress."""
    look.browser.wait("return document.querySelector('.talk')?.getAttribute('aria-busy') === 'false'")


def says_in_talk(look, text):
    """Waits until the conversation shows a text."""
    look.browser.wait("return document.querySelector('.talk').innerText.includes(arguments[0])", text)


def sent(model):
    """Returns the messages of the model's last request, without system messages."""
    return str([message for message in model.asked[-1]["messages"] if message["role"] != "system"])


def chat_answers(look):
    """Shows a greeting, streams an answer with a line for each tool, and shows it again after a reload."""
    browser, model = look.browser, look.model
    look.sign_in()
    look.view("chat", ".greeting")
    browser.wait("return document.querySelector('.greeting').innerText.includes('small answers')")
    look.audit("chat-greeting")
    half = len(ANSWER) // 2
    model.will(calls("memory_search", query="revive the sourdough starter"), says(ANSWER[:half], ANSWER[half:], pause=1.5))
    speak(look, "How do I revive the starter?")
    browser.wait("return document.querySelector('.said.tars strong')?.innerText === 'three days'")
    expect("Feed it rye" not in browser.text(".talk"), "the answer shows while it is written")
    expect(browser.text(".speak-buttons") == "Stop", "it can be stopped")
    says_in_talk(look, "Feed it rye and water")
    rests(look)
    expect(browser.text(".speak-buttons") == "Send", "nothing can be stopped any more")
    bottom = browser.run("return document.querySelector('.speak').getBoundingClientRect().bottom - innerHeight")
    expect(-60 < bottom <= 0, f"the field is not at the bottom of the window: {bottom}")
    expect("memory_search" in browser.text(".tool summary") and "✓" in browser.text(".tool summary"), browser.text(".tool"))
    browser.click(".tool summary")
    expect("Kitchen/Sourdough starter.md:" in browser.text(".tool pre"), f"the places are told: {browser.text('.tool pre')}")
    look.audit("chat")
    expect("812 tokens sent" in browser.text(".tokens"), browser.text(".tokens"))
    expect("c=chat-" in browser.run("return location.hash"), "the conversation is in the address")
    browser.run("[...document.querySelectorAll('.said .internal')].at(-1).click()")
    browser.wait_for("#preview article")
    look.audit("chat-note", schemes=("light",))
    browser.keys("Escape")
    browser.run("location.reload()")
    browser.wait("return document.querySelectorAll('.said').length === 2 && document.querySelector('.said.tars ol')")
    expect("memory_search" in browser.text(".tool"), browser.text(".talk"))
    model.will(says("Yes."))
    speak(look, "Is rye needed?")
    says_in_talk(look, "Yes.")
    expect("How do I revive the starter?" in sent(model), "it goes on where it was")


def chat_stops(look):
    """Escape stops the answer and keeps the conversation."""
    browser, model = look.browser, look.model
    look.sign_in()
    look.view("chat", ".greeting")
    model.will(begins("It is a long st"), says("In short: no."))
    speak(look, "Tell me everything")
    says_in_talk(look, "It is a long st")
    browser.keys("Escape")
    says_in_talk(look, "(stopped)")
    rests(look)
    look.audit("chat-stopped", schemes=("light",))
    speak(look, "In short?")
    says_in_talk(look, "In short: no.")
    look.becomes(lambda: model.left == 1, "the model's server is left")
    said = sent(model)
    expect("Tell me everything" in said and "It is a long st" in said, said)
    browser.run("location.reload()")
    browser.wait("return document.querySelectorAll('.said').length === 4")
    says_in_talk(look, "(stopped)")


def chat_asks(look):
    """A change of the memory needs the user's consent."""
    browser, model = look.browser, look.model
    look.sign_in()
    look.view("chat", ".greeting")
    for allow in (False, True):
        model.will(calls("memory_remember", text=FACT), says("As you wish." if not allow else "Kept."))
        speak(look, "Remember what the second box costs")
        browser.wait_for(".talk .near button")
        expect(FACT in browser.text(".talk .near:last-child") or FACT in browser.text(".talk"), browser.text(".talk"))
        expect(browser.run("return document.activeElement.innerText") == "Not now", "the harmless answer has the focus")
        if not allow:
            look.audit("chat-question")
            browser.keys("Enter")
        else:
            browser.run("[...document.querySelectorAll('.near button')].at(-2).click()")
        says_in_talk(look, "Kept." if allow else "As you wish.")
        rests(look)
        expect((FACT in look.memory("Memory.md")) == allow, look.memory("Memory.md"))
    expect("memory_remember: allowed" in browser.text(".talk"), browser.text(".talk"))
    # A question without an answer ends with its turn.
    model.will(calls("memory_remember", text="The well is dry."))
    speak(look, "And the well")
    browser.wait("return [...document.querySelectorAll('.talk .near button')].length === 2")
    browser.click(".speak-buttons button:not([hidden])")
    says_in_talk(look, "not answered")
    expect(browser.run("return document.querySelectorAll('.near button').length") == 0, "it cannot be answered any more")
    expect("The well is dry." not in look.memory("Memory.md"), "nothing was written")


def chat_commands(look):
    """Commands are suggested, completed, carried out without the model, and refused with a reason."""
    browser, model = look.browser, look.model
    look.sign_in()
    look.view("chat", ".greeting")
    browser.run("document.getElementById('message').focus()")
    browser.keys("/se")
    browser.wait_for(".offers button")
    expect("/search QUESTION" in browser.text(".offers"), browser.text(".offers"))
    look.audit("chat-offers")
    browser.keys("Tab")
    expect(browser.run("return document.getElementById('message').value") == "/search ", "Tab completes")
    browser.keys("revive the starter", "Enter")
    says_in_talk(look, "Sourdough starter.md")
    rests(look)
    look.audit("chat-found")
    speak(look, "/brief")
    says_in_talk(look, "Moved the panel")
    rests(look)
    speak(look, "/help")
    says_in_talk(look, "/undo")
    rests(look)
    look.audit("chat-help", schemes=("light",))
    speak(look, "/serach box")
    browser.wait_for(".talk .problem")
    expect("/search" in browser.text(".talk .problem"), browser.text(".talk .problem"))
    rests(look)
    speak(look, "/w")
    browser.wait("return document.querySelectorAll('.talk .problem').length === 2")
    rests(look)
    expect(not model.asked and "c=" not in browser.run("return location.hash"), "no model was asked, and nothing is kept")
    # A model that is chosen before the first message answers that message.
    speak(look, "/model openai other")
    says_in_talk(look, "other answers from now on")
    rests(look)
    model.will(says("Hello."))
    speak(look, "Good morning")
    says_in_talk(look, "Hello.")
    rests(look)
    expect(model.asked[-1]["model"] == "other", model.asked[-1]["model"])
    speak(look, "/w too short")
    says_in_talk(look, "Noted:")
    rests(look)
    expect("too short" in look.memory("corrections.md"), look.memory("corrections.md"))
    speak(look, "/clear")
    says_in_talk(look, "A new conversation begins.")
    rests(look)
    expect("Good morning" not in browser.text(".talk") and "c=" not in browser.run("return location.hash"), browser.text(".talk"))
    model.will(says("Anew."))
    speak(look, "Anything new?")
    says_in_talk(look, "Anew.")
    expect("Good morning" not in sent(model), "the old conversation is over")


def chat_list(look):
    """Conversations are listed, continued, and noted in the memory before they are deleted."""
    browser, model = look.browser, look.model
    look.sign_in()
    look.view("chat", ".greeting")
    model.will(says("Decided: the gauge gets a new spring."))
    speak(look, "we decided that the gauge gets a new spring")
    says_in_talk(look, "Decided")
    rests(look)
    browser.run("[...document.querySelectorAll('.chat-head button')].find((one) => one.innerText === 'New').click()")
    browser.wait_for(".greeting")
    browser.click(".chat-past > summary")
    browser.wait_for(".chats button")
    expect("1 message" in browser.text(".chats"), browser.text(".chats"))
    look.audit("chat-list")
    browser.click(".chats .hit-head")
    says_in_talk(look, "a new spring")
    browser.click(".chat-past > summary")
    browser.wait_for(".chats button")
    browser.click(".chats li > button:last-child")
    browser.wait("return document.querySelector('.chats li > button:last-child').innerText.includes('delete it?')")
    browser.click(".chats li > button:last-child")
    browser.wait("return document.querySelector('.chats').innerText.includes('none yet')")
    browser.wait_for(".greeting")
    expect("noted in" in browser.text("#toasts"), browser.text("#toasts"))
    look.becomes(lambda: "a new spring" in look.memory(f"{time.strftime('%Y-%m-%d')}.md"), "it is noted in the log of the day")


def chat_hostile(look):
    """The model's answer stays text: it runs nothing, loads nothing and hides nothing."""
    browser, model = look.browser, look.model
    look.sign_in()
    look.view("chat", ".greeting")
    model.will(calls("memory_search", query="<img src=x onerror=window.pwned=1>"), calls("<b>bold</b>", x="y"), says(HOSTILE))
    speak(look, "<script>window.pwned = 1</script> walrus")
    says_in_talk(look, "The file is called")
    rests(look)
    for _ in range(2):
        shown = browser.text(".talk")
        expect("<img src=x onerror" in shown and "<script>" in shown and "gpj.\\u202eexe" in shown, shown)
        addresses = browser.run("return [...document.querySelectorAll('.talk a')].map((one) => one.getAttribute('href'))")
        # Only links lead to other servers, and only when a user follows them.
        expect(set(addresses) <= {"https://example.org/ok", "https://tracker.invalid/"}, str(addresses))
        expect(browser.run("return document.querySelectorAll('.talk :is(img, script, iframe, style, link, form, input, object, svg)').length") == 0, "no such elements")
        expect(browser.run("return window.pwned === undefined"), "something ran")
        look.audit("chat-hostile", schemes=("light",))
        browser.run("location.reload()")
        browser.wait("return document.querySelectorAll('.said').length === 2")


def chat_keeps_private(look):
    """The model gets nothing private or secret."""
    look.sign_in()
    (look.sample.vault / "Diary.md").write_text("---\ntars: private\n---\n# Diary\n\nThe starter secretwordone.\n")
    look.sample.run("index")
    look.view("chat", ".greeting")
    look.model.will(calls("note_read", name="Diary.md"), says("I cannot find it."))
    speak(look, "what does my diary say of the starter, sk-proj-w9Xq2LmZ4tR7vB1nK8yH3cJ6pD5sF0gA")
    says_in_talk(look, "I cannot find it.")
    sent = str(look.model.asked)
    expect("secretword" not in sent and "w9Xq2LmZ" not in sent, "something private was sent")


def chat_without_model(look):
    """Without a model the page says how to configure one, and commands work."""
    browser = look.browser
    look.sign_in()
    look.view("chat", ".greeting")
    browser.wait("return document.querySelector('.greeting').innerText.includes('No model answers')")
    look.audit("chat-no-model", schemes=("light",))
    speak(look, "Hello?")
    browser.wait_for(".talk .problem")
    expect("tars config set chat." in browser.text(".talk .problem"), browser.text(".talk .problem"))
    rests(look)
    speak(look, "/find starter")
    says_in_talk(look, "Sourdough starter.md")


def take_pictures(look):
    """Takes the pictures of docs/assistant.md."""
    browser, model = look.browser, look.model
    look.sign_in()
    look.view("chat", ".greeting")
    model.will(calls("memory_search", query="revive the sourdough starter"), says(ANSWER))
    speak(look, "How do I revive the starter?")
    says_in_talk(look, "Sourdough starter.")
    rests(look)
    browser.click(".tool summary")
    browser.run("document.activeElement.blur()")
    browser.picture(look.pictures / "chat.png")
    browser.cdp("Emulation.setDeviceMetricsOverride", {"width": 390, "height": 780, "deviceScaleFactor": 1, "mobile": True})
    browser.cdp("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": "dark"}]})
    model.will(calls("memory_remember", text=FACT), says("Kept."))
    speak(look, "Remember that the second box costs 61.20 a year")
    browser.wait_for(".talk .near button")
    browser.picture(look.pictures / "chat-question.png")


CHECKS = [chat_answers, chat_stops, chat_asks, chat_commands, chat_list, chat_hostile, chat_keeps_private, chat_without_model]
WITH_MODEL = {*CHECKS, take_pictures} - {chat_without_model}
WIDE_ALONE = {chat_keeps_private}
