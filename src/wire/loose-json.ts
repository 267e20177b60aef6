/** Converts text that is meant to be JSON, but that a JSON parser refuses, to JSON. */

export interface LooseJson {
  /** The text as JSON. Numbers that are not finite become numbers too large for a double. */
  readonly text: string;
  /** Names of the deviations from JSON, such as `comments`. */
  readonly oddities: readonly string[];
  /** Whether other text precedes the document. */
  readonly isWithinText: boolean;
}

/** Maximum number of characters of a text that is converted. */
const longest = 4 << 20;
const deepest = 1_000;
/** Maximum number of positions in a text at which a document is tried. */
const maxStarts = 8;

/**
 * Converts text to JSON that contains comments, trailing commas, other quotes, names without quotes, line breaks or
 * unknown escapes in strings, literals and numbers of Python or JavaScript, or is surrounded by other text, such as a
 * warning from PHP. Undefined if the text contains no object or list, or is cut off.
 */
export function looseJson(text: string): LooseJson | undefined {
  if (text.length > longest) return undefined;
  let starts = 0;
  for (const { index } of text.matchAll(/[{[]\s*["'{[/\w]/g)) {
    starts += 1;
    if (starts > maxStarts) break;
    const isWithinText = text.slice(0, index).trim() !== '';
    const rewriter = new Rewriter(text, index);
    const json = rewriter.document();
    if (rewriter.isCutOff) return undefined;
    if (json === undefined) continue;
    if (isWithinText) rewriter.oddities.add('text before it');
    return { text: json, oddities: [...rewriter.oddities], isWithinText };
  }
  return undefined;
}

/** White space and marks between the tokens of a document. */
const blank = /[\s\0\uFEFF]+/y;
const restOfLine = /[^\n\r]*/y;
const word = /[A-Za-z_$][\w$]*/y;
const number = /[+-]?(?:0[xX][0-9a-fA-F]+|(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?|Infinity|NaN|inf|nan)/y;
/** Characters of a string that need no escape. */
const unescaped = { '"': /[^"\\\p{Cc}]+/uy, "'": /[^'"\\\p{Cc}]+/uy } as const;

const literals: ReadonlyMap<string, string> = new Map([
  ['true', 'true'],
  ['false', 'false'],
  ['null', 'null'],
  ['none', 'null'],
  ['nil', 'null'],
  ['undefined', 'null'],
  ['nan', '1e999'],
  ['infinity', '1e999'],
]);

class Rewriter {
  readonly oddities = new Set<string>();
  readonly #text: string;
  readonly #json: string[] = [];
  #at: number;
  #depth = 0;
  #isInString = false;

  constructor(text: string, at: number) {
    this.#text = text;
    this.#at = at;
  }

  /** Whether the text ends within the document. */
  get isCutOff(): boolean {
    return this.#isInString || (this.#depth > 0 && this.#at >= this.#text.length);
  }

  /** Returns the object or list that begins here, as JSON. */
  document(): string | undefined {
    if (!this.#container(this.#text[this.#at] === '{')) return undefined;
    this.#skip();
    if (this.#at < this.#text.length) this.oddities.add('text behind it');
    return this.#json.join('');
  }

  #container(isObject: boolean): boolean {
    const [open, close] = isObject ? ['{', '}'] : ['[', ']'];
    this.#depth += 1;
    if (this.#depth > deepest) return false;
    this.#json.push(open);
    this.#at += 1;
    for (let count = 0; ; count += 1) {
      this.#skip();
      if (this.#takes(close)) {
        if (count > 0) this.oddities.add('a comma at the end');
        break;
      }
      if (count > 0) this.#json.push(',');
      if (isObject && !this.#name()) return false;
      if (!this.#value()) return false;
      this.#skip();
      if (this.#takes(',')) continue;
      if (!this.#takes(close)) return false;
      break;
    }
    this.#json.push(close);
    this.#depth -= 1;
    return true;
  }

  #name(): boolean {
    if (!this.#string()) {
      const name = this.#match(word) ?? this.#match(number);
      if (name === undefined) return false;
      this.oddities.add('names without quotes');
      this.#json.push(JSON.stringify(name));
    }
    this.#skip();
    this.#json.push(':');
    return this.#takes(':');
  }

  #value(): boolean {
    this.#skip();
    const first = this.#text[this.#at];
    if (first === '{' || first === '[') return this.#container(first === '{');
    if (this.#string()) return true;
    const digits = this.#match(number);
    if (digits !== undefined) return this.#number(digits);
    const name = this.#match(word);
    const literal = name === undefined ? undefined : literals.get(name.toLowerCase());
    if (literal === undefined) return false;
    if (literal !== name) this.oddities.add(name as string);
    this.#json.push(literal);
    return true;
  }

  #number(digits: string): boolean {
    const unsigned = digits.replace(/^[+-]/, '');
    const sign = digits.startsWith('-') ? '-' : '';
    const isDecimal = /^[\d.]/.test(unsigned);
    const significant = unsigned.replace(/^0+/, '');
    const whole = /^\d/.test(significant) ? significant : `0${significant}`;
    let json = isDecimal ? whole.replace(/\.(?!\d)/, '') : '1e999';
    if (/^0x/i.test(unsigned)) json = `${BigInt(unsigned)}`;
    if (sign + json !== digits) this.oddities.add(isDecimal ? 'numbers of another form' : unsigned);
    this.#json.push(sign, json);
    return true;
  }

  /** Reads a string. Returns whether a complete one begins here. */
  #string(): boolean {
    const quote = this.#text[this.#at];
    if (quote !== '"' && quote !== "'") return false;
    if (quote === "'") this.oddities.add('single quotes');
    this.#at += 1;
    const pieces: string[] = [];
    for (;;) {
      pieces.push(this.#match(unescaped[quote]) ?? '');
      const next = this.#text[this.#at];
      if (next === undefined) break;
      this.#at += 1;
      if (next === quote) {
        this.#json.push('"', ...pieces, '"');
        return true;
      }
      pieces.push(next === '\\' ? this.#escape() : next === '"' ? '\\"' : this.#control(next));
    }
    this.#isInString = true;
    return false;
  }

  #control(character: string): string {
    // An unpaired surrogate is kept.
    const code = character.charCodeAt(0);
    if (code >= 0x20) return character;
    this.oddities.add('control characters in strings');
    return `\\u${code.toString(16).padStart(4, '0')}`;
  }

  /** Reads the escape after a backslash. */
  #escape(): string {
    const known = this.#match(/["\\/bfnrt]|u[0-9a-fA-F]{4}/y);
    if (known !== undefined) return `\\${known}`;
    this.oddities.add('unknown escapes');
    const hex = this.#match(/x[0-9a-fA-F]{2}/y);
    if (hex !== undefined) return `\\u00${hex.slice(1)}`;
    if (this.#takes("'")) return "'";
    return this.#match(/\r?\n/y) === undefined ? '\\\\' : '';
  }

  #skip(): void {
    for (;;) {
      this.#match(blank);
      const begins = this.#text.slice(this.#at, this.#at + 2);
      if (begins === '//') this.#match(restOfLine);
      else if (begins === '/*') this.#at = (this.#text.indexOf('*/', this.#at) + 1 || this.#text.length - 1) + 1;
      else return;
      this.oddities.add('comments');
    }
  }

  #takes(character: string): boolean {
    if (this.#text[this.#at] !== character) return false;
    this.#at += 1;
    return true;
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const [found] = pattern.exec(this.#text) ?? [];
    if (found === undefined) return undefined;
    this.#at += found.length;
    return found;
  }
}
