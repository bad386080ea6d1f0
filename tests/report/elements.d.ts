// For the type check of the page's scripts: the elements that they ask for are those of HTML that
// the template holds, and events come from elements.

interface EventTarget {
  readonly dataset: DOMStringMap;
  readonly selectedOptions: HTMLCollectionOf<HTMLOptionElement>;
  checked: boolean;
  value: string;
  closest(selector: string): HTMLElement | null;
  matches(selector: string): boolean;
}

interface Element {
  checked: boolean;
  disabled: boolean;
  hidden: any;
  readonly options: HTMLOptionsCollection;
  value: any;
  click(): void;
  focus(options?: FocusOptions): void;
  showModal(): void;
}
