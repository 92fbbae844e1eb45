// Elements for tests without a browser, and Obsidian's additions to the elements of a browser.

type Listener = (event: FakeEvent) => void;

export interface FakeEvent {
  type: string;
  target?: unknown;
  key?: string;
  isComposing?: boolean;
  preventDefault(): void;
}

interface Info {
  cls?: string;
  text?: string;
  attr?: Record<string, string>;
}

/** An element without layout: children, text, attributes, listeners, focus. */
export class FakeElement {
  readonly tagName: string;
  children: FakeElement[] = [];
  parent: FakeElement | null = null;
  attributes: Record<string, string> = {};
  className = "";
  value = "";
  type = "";
  /** The element that has the focus. */
  static focused: FakeElement | null = null;
  private own = "";
  private listeners: [string, Listener][] = [];

  constructor(tagName: string) {
    this.tagName = tagName;
  }

  get textContent(): string {
    return this.own + this.children.map((child) => child.textContent).join("\n");
  }

  set textContent(text: string) {
    this.empty();
    this.own = text;
  }

  createEl(tag: string, info: Info = {}): FakeElement {
    const element = fill(new FakeElement(tag), info);
    element.parent = this;
    this.children.push(element);
    return element;
  }

  empty(): void {
    this.children = [];
    this.own = "";
  }

  addClass(name: string): void {
    this.className += ` ${name}`;
  }

  setAttribute(name: string, value: string): void {
    this.attributes[name] = value;
  }

  addEventListener(type: string, listener: Listener): void {
    this.listeners.push([type, listener]);
  }

  focus(): void {
    FakeElement.focused = this;
    this.dispatch("focusin");
  }

  click(): void {
    this.dispatch("click");
  }

  /** Sends an event to this element and to those around it. */
  dispatch(type: string, more: Partial<FakeEvent> = {}): void {
    const event = { type, target: this, isComposing: false, preventDefault() {}, ...more };
    for (let element: FakeElement | null = this; element !== null; element = element.parent) {
      for (const [of, listener] of element.listeners) if (of === type) listener(event);
    }
  }

  /** Returns the elements within that have a class or a tag, in order. */
  all(name: string): FakeElement[] {
    const own = this.children.flatMap((child) => [child, ...child.all(name)]);
    return own.filter((element) => element.tagName === name || element.className.split(" ").includes(name));
  }
}

/** Adds Obsidian's methods to the elements of a browser. */
export function extendElements(): void {
  Object.assign(HTMLElement.prototype, {
    createEl(this: HTMLElement, tag: string, info: Info = {}) {
      const element = fill(document.createElement(tag), info);
      this.append(element);
      return element;
    },
    empty(this: HTMLElement) {
      this.replaceChildren();
    },
    addClass(this: HTMLElement, name: string) {
      this.classList.add(name);
    },
  });
}

/** Returns a new element, of the browser if there is one. */
export function newElement(tag: string): HTMLElement {
  return typeof document === "undefined" ? (new FakeElement(tag) as unknown as HTMLElement) : document.createElement(tag);
}

function fill<E extends { className: string; textContent: string | null; setAttribute(name: string, value: string): void }>(element: E, { cls, text, attr }: Info): E {
  if (cls !== undefined && cls !== "") element.className = cls;
  if (text !== undefined) element.textContent = text;
  for (const [name, value] of Object.entries(attr ?? {})) element.setAttribute(name, value);
  return element;
}
