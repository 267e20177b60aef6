import { endOfString, endOfValue } from '../model/json.ts';
import type { LoopTurns } from './loop-turns.ts';

/** Large JSON is parsed and written in pieces, in several turns of the event loop, which then serves others in between. */

/** Characters of a piece: they take about a millisecond at most. */
const defaultPiece = 65_536;

/** Parser for the pieces of a text. */
export interface PieceParser {
  /** @param level number of arrays and objects around the piece, which is a whole value */
  parse(text: string, level: number): unknown;
  /** Called after the members of a piece were added to a container that had `before` members. */
  added?(members: object, container: object, before: number): void;
}

const jsonParser: PieceParser = { parse: (text) => JSON.parse(text) };

/**
 * Parses a text of any length. Rejects with the parser's error, also for a text that is not JSON.
 *
 * @param piece characters that are parsed at once
 */
export async function parseInTurns(
  turns: LoopTurns,
  text: string,
  parser: PieceParser = jsonParser,
  piece: number = defaultPiece,
): Promise<unknown> {
  if (text.length <= piece) return parser.parse(text, 0);
  const reader = new TextReader(turns, text, parser, piece);
  const value = await reader.value(0);
  // The rest is white space, or not JSON.
  if (reader.at < text.length) parser.parse(`[]${text.slice(reader.at)}`, 0);
  return value;
}

/** Reads a text piece by piece. Each piece is parsed whole, so that a wrong guess of its end is refused. */
class TextReader {
  at = 0;
  readonly #turns: LoopTurns;
  readonly #text: string;
  readonly #parser: PieceParser;
  readonly #piece: number;

  constructor(turns: LoopTurns, text: string, parser: PieceParser, piece: number) {
    this.#turns = turns;
    this.#text = text;
    this.#parser = parser;
    this.#piece = piece;
  }

  /** Reads the value at the current position. A large array or object is read member by member. */
  async value(level: number): Promise<unknown> {
    this.#skipSpace();
    const from = this.at;
    const first = this.#text[from];
    if (first === '[' || first === '{') {
      const end = endOfValue(this.#text, from, from + this.#piece);
      if (end === undefined) return this.#container(first === '[', level);
    }
    if (first === '"') {
      const end = endOfString(this.#text, from);
      if (end - from > this.#piece) return this.#string(end, level);
    }
    this.at = endOfValue(this.#text, from);
    const turn = this.#turns.goOn();
    if (turn) await turn;
    return this.#parser.parse(this.#text.slice(from, this.at), level);
  }

  /** Reads a large string that ends at a position. */
  async #string(end: number, level: number): Promise<string> {
    if (this.#text[end] !== '"') this.#refuse();
    const parts: unknown[] = [];
    for (let from = this.at + 1; from < end; ) {
      const turn = this.#turns.goOn();
      if (turn) await turn;
      const until = endOfPart(this.#text, from, end, this.#piece);
      parts.push(this.#parser.parse(`"${this.#text.slice(from, until)}"`, level));
      from = until;
    }
    this.at = end + 1;
    return parts.join('');
  }

  async #container(isList: boolean, level: number): Promise<object> {
    const text = this.#text;
    const [open, close] = isList ? '[]' : '{}';
    const container: unknown[] | Record<string, unknown> = isList ? [] : {};
    let before = 0;
    /** Start of the members that are not added yet, and the last comma after them. */
    let from: number | undefined;
    let comma = 0;
    const add = async (until: number): Promise<void> => {
      const turn = this.#turns.goOn();
      if (turn) await turn;
      const members = this.#parser.parse(`${open}${text.slice(from, until)}${close}`, level) as object;
      const count = addMembers(members, container);
      this.#parser.added?.(members, container, before);
      // Neither before nor after a comma may a member be missing. A container may be empty.
      if (count === 0 && (before > 0 || text[until] !== close)) this.#refuse();
      before += count;
      from = undefined;
    };
    // Refuses too deep nesting before the value is read.
    this.#parser.parse(`${open}${close}`, level);
    this.at += 1;
    for (;;) {
      this.#skipSpace();
      const start = from ?? this.at;
      const end = endOfValue(text, this.at, start + this.#piece);
      if (end === undefined && from !== undefined) {
        await add(comma);
        continue;
      }
      if (end === undefined) {
        const name = isList ? before : this.#name(level);
        (container as Record<string, unknown>)[name] = await this.value(level + 1);
        before += 1;
        this.#skipSpace();
      } else {
        from = start;
        this.at = end;
      }
      comma = this.at;
      this.at += 1;
      if (text[comma] === ',') continue;
      if (text[comma] !== close) this.#refuse();
      if (from !== undefined) await add(comma);
      return container;
    }
  }

  /** Reads the name of a member whose value is large, and the colon after it. */
  #name(level: number): string {
    const from = this.at;
    this.at = endOfString(this.#text, from) + 1;
    const member = this.#parser.parse(`{${this.#text.slice(from, this.at)}:0}`, level) as object;
    this.#skipSpace();
    const [name] = Object.keys(member);
    if (name === undefined || name === '__proto__' || this.#text[this.at] !== ':') this.#refuse();
    this.at += 1;
    return name as string;
  }

  #skipSpace(): void {
    for (let code = this.#text.charCodeAt(this.at); isSpace(code); code = this.#text.charCodeAt(this.at)) this.at += 1;
  }

  #refuse(): never {
    this.#parser.parse('', 0);
    throw new SyntaxError('The text is no JSON');
  }
}

/** Whether a character is JSON white space: tab, line feed, carriage return or space. */
const isSpace = (code: number): boolean => code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;

/** Adds the members or items of a piece to the container. Returns how many there were. */
function addMembers(members: object, container: unknown[] | Record<string, unknown>): number {
  if (Array.isArray(members)) {
    for (const item of members) (container as unknown[]).push(item);
    return members.length;
  }
  const names = Object.keys(members);
  for (const name of names) {
    const value = (members as Record<string, unknown>)[name];
    // Assigning this name would set the prototype.
    if (name === '__proto__') Object.defineProperty(container, name, { ...ownMember, value });
    else (container as Record<string, unknown>)[name] = value;
  }
  return names.length;
}

const ownMember = { enumerable: true, configurable: true, writable: true } as const;

/**
 * Returns the end of a part of a string that begins at a position: after a whole character, because a parser refuses
 * halves of one.
 */
function endOfPart(text: string, from: number, end: number, piece: number): number {
  const wanted = from + piece;
  if (wanted >= end) return end;
  // A search in the whole text would go on to its end.
  const part = text.slice(from, wanted);
  /** Returns the position after the character, perhaps escaped, that begins at a position. */
  const behind = (at: number): number => at + (text[at] !== '\\' ? 1 : text[at + 1] === 'u' ? 6 : 2);
  let last = wanted - 1;
  let until = from;
  for (let at = part.indexOf('\\'); at >= 0; at = part.indexOf('\\', until - from)) {
    last = from + at;
    until = behind(last);
  }
  if (until < wanted) [last, until] = [wanted - 1, wanted];
  const code = text[last] === '\\' ? Number.parseInt(text.slice(last + 2, until), 16) : text.charCodeAt(last);
  const isHalf = (code & 0xfc00) === 0xd800;
  return Math.min(isHalf ? behind(until) : until, end);
}

/** Writes a JSON value of any size. Members that are undefined are left out, as JSON.stringify does. */
export async function writeInTurns(turns: LoopTurns, value: unknown): Promise<string> {
  const pieces: string[] = [];
  const write = async (part: unknown): Promise<void> => {
    if (typeof part === 'string') return writeText(part);
    if (typeof part !== 'object' || part === null) return void pieces.push(JSON.stringify(part));
    // An array has no names: a million of them would take more memory than its items.
    const names = Array.isArray(part) ? undefined : Object.keys(part);
    const size = names ? names.length : (part as readonly unknown[]).length;
    const [open, close] = names ? '{}' : '[]';
    let members: Record<string, unknown> = {};
    let items: unknown[] = [];
    let room = defaultPiece;
    let before = open as string;
    const add = (text: string): void => {
      pieces.push(before, text);
      before = ',';
    };
    const writeMembers = async (): Promise<void> => {
      const turn = turns.goOn();
      if (turn) await turn;
      const text = JSON.stringify(names ? members : items).slice(1, -1);
      if (text !== '') add(text);
      members = {};
      items = [];
      room = defaultPiece;
    };
    for (let at = 0; at < size; at += 1) {
      const name = names?.[at] ?? '';
      const member = names ? (part as Record<string, unknown>)[name] : (part as readonly unknown[])[at];
      if (roomAfter(member, room) < 0) await writeMembers();
      const left = roomAfter(member, room) - name.length;
      if (left >= 0) {
        if (names) members[name] = member;
        else items.push(member);
        room = left;
      } else {
        add(names ? `${JSON.stringify(name)}:` : '');
        await write(member);
      }
    }
    await writeMembers();
    pieces.push(before === open ? open : '', close as string);
  };
  const writeText = async (text: string): Promise<void> => {
    pieces.push('"');
    for (let from = 0; from < text.length; ) {
      const turn = turns.goOn();
      if (turn) await turn;
      // The halves of a surrogate pair are written together: alone, each would be escaped.
      const isCut = (text.charCodeAt(from + defaultPiece - 1) & 0xfc00) === 0xd800;
      const end = isCut ? from + defaultPiece - 1 : from + defaultPiece;
      pieces.push(JSON.stringify(text.slice(from, end)).slice(1, -1));
      from = end;
    }
    pieces.push('"');
  };
  await write(value);
  return pieces.join('');
}

/**
 * Returns the approximate number of characters left after writing a value as JSON into `room`; below 0: it does not
 * fit.
 */
function roomAfter(value: unknown, room: number): number {
  if (typeof value === 'string') return room - value.length - 3;
  if (typeof value !== 'object' || value === null) return room - 8;
  let left = room - 2;
  if (Array.isArray(value)) {
    for (const item of value) {
      left = roomAfter(item, left);
      if (left < 0) return left;
    }
    return left;
  }
  for (const name in value) {
    const member = (value as Record<string, unknown>)[name];
    left -= name.length + 3;
    // Most members are strings, and a call for each would cost more than this.
    left = typeof member === 'string' ? left - member.length - 3 : roomAfter(member, left);
    if (left < 0) return left;
  }
  return left;
}
