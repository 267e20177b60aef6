/**
 * Matches regular expressions in time proportional to the text: an automaton is in all of its states at once, where
 * JavaScript's own engine tries one way after the other. Only whether a text matches is computed.
 */

/** Returns whether a text matches. `spend` is called with the steps of each character, and may throw. */
export type Matcher = (text: string, spend: (steps: number) => void) => boolean;

type Test = (character: string) => boolean;

/** Whether a place in the text is right, by the characters around it. */
type Assertion = (before: string | undefined, after: string | undefined) => boolean;

/** A part of a pattern. */
type Part =
  | { readonly test: Test }
  | { readonly assertion: Assertion }
  | { readonly sequence: readonly Part[] }
  | { readonly choices: readonly Part[] }
  | { readonly repeated: Part; readonly min: number; readonly max: number };

/** A state of the automaton; the next one follows it, except after a branch. */
type State = { readonly test: Test } | { readonly assertion: Assertion } | { readonly targets: number[] } | 'end';

/** Bounded repetitions are copies of what is repeated. */
const mostStates = 2_000;

/**
 * Compiles a regular expression of JavaScript.
 *
 * @throws Error that says what is wrong: it is invalid, or cannot be matched in linear time
 */
export function compilePattern(source: string, flags = ''): Matcher {
  try {
    new RegExp(source, flags);
  } catch (cause) {
    throw new Error('it is not a valid regular expression', { cause });
  }
  const unsupported = [...flags].find((flag) => !'dgimsu'.includes(flag));
  if (unsupported) throw new Error(`the flag ${unsupported} is not supported`);
  const states = statesOf(parse(source, flags));
  const isUnicode = flags.includes('u');
  return (text, spend) => {
    // The length is checked before the text is copied.
    spend(text.length);
    const characters = isUnicode ? Array.from(text) : text.split('');
    /** The place after the last one in which each state was reached. */
    const reached = new Uint32Array(states.length);
    let entered: number[] = [];
    for (let at = 0; at <= characters.length; at += 1) {
      const character = characters[at];
      const next: number[] = [];
      // A match may begin everywhere.
      const pending = [...entered, 0];
      let steps = 0;
      for (let index = pending.pop(); index !== undefined; index = pending.pop()) {
        if (reached[index] === at + 1) continue;
        reached[index] = at + 1;
        steps += 1;
        const state = states[index] as State;
        if (state === 'end') return true;
        if ('targets' in state) pending.push(...state.targets);
        else if ('assertion' in state) {
          if (state.assertion(characters[at - 1], character)) pending.push(index + 1);
        } else if (character !== undefined && state.test(character)) next.push(index + 1);
      }
      spend(steps);
      entered = next;
    }
    return false;
  };
}

function statesOf(pattern: Part): readonly State[] {
  const states: State[] = [];
  const push = (state: State): void => {
    if (states.length === mostStates) throw new Error(`it has more than ${mostStates} states: repeat less`);
    states.push(state);
  };
  const branch = (): number[] => {
    const targets = [states.length + 1];
    push({ targets });
    return targets;
  };
  const add = (part: Part): void => {
    if ('sequence' in part) part.sequence.forEach(add);
    else if ('choices' in part) addChoices(part.choices);
    else if ('repeated' in part) addRepeated(part.repeated, part.min, part.max);
    else push(part);
  };
  const addChoices = (choices: readonly Part[]): void => {
    const ends: number[][] = [];
    for (const [index, choice] of choices.entries()) {
      const other = index < choices.length - 1 ? branch() : undefined;
      add(choice);
      if (!other) continue;
      const end = branch();
      end.pop();
      ends.push(end);
      other.push(states.length);
    }
    for (const end of ends) end.push(states.length);
  };
  const addRepeated = (repeated: Part, min: number, max: number): void => {
    for (let times = 0; times < min; times += 1) {
      const before = states.length;
      add(repeated);
      // What has no states matches nothing but the empty text.
      if (states.length === before) return;
    }
    if (max === Number.POSITIVE_INFINITY) {
      const start = states.length;
      const exit = branch();
      add(repeated);
      push({ targets: [start] });
      exit.push(states.length);
      return;
    }
    const exits: number[][] = [];
    for (let times = min; times < max; times += 1) {
      exits.push(branch());
      add(repeated);
    }
    for (const exit of exits) exit.push(states.length);
  };
  add(pattern);
  push('end');
  return states;
}

const isLineEnd = (character: string | undefined): boolean =>
  character === undefined || ['\n', '\r', '\u2028', '\u2029'].includes(character);

const quantifier = /\{(\d+)(?:(,)(\d*))?\}/y;
const escapes = {
  unicode: /\\(?:u\{[0-9a-fA-F]+\}|u[dD][89abAB]..\\u[dD][c-fC-F]..|u....|x..|c.|[pP]\{[^}]*\}|[\s\S])/uy,
  legacy: /\\(?:u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|c[a-zA-Z]|0[0-7]{0,2}|[\s\S])/y,
};

/** Parses a valid pattern. Single characters and their classes are left to JavaScript's own engine. */
function parse(source: string, flags: string): Part {
  const isUnicode = flags.includes('u');
  const testFlags = flags.replace(/[^isu]/g, '');
  const tests = new Map<string, Test>();
  let at = 0;

  const take = (text: string): boolean => {
    const isNext = source.startsWith(text, at);
    if (isNext) at += text.length;
    return isNext;
  };
  const takeMatch = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at;
    const match = pattern.exec(source);
    at += match?.[0].length ?? 0;
    return match;
  };

  const single = (text: string): { readonly test: Test } => {
    const known = tests.get(text);
    if (known) return { test: known };
    const expression = new RegExp(`^(?:${text})$`, testFlags);
    const ascii = Array.from({ length: 128 }, (_, code) => expression.test(String.fromCharCode(code)));
    const test: Test = (character) => ascii[character.charCodeAt(0)] ?? expression.test(character);
    tests.set(text, test);
    return { test };
  };
  const isWord = single('\\w').test;
  const isBoundary: Assertion = (before, after) =>
    (before !== undefined && isWord(before)) !== (after !== undefined && isWord(after));

  const choices = (): Part => {
    const all = [sequence()];
    while (take('|')) all.push(sequence());
    return { choices: all };
  };
  const sequence = (): Part => {
    const parts: Part[] = [];
    while (at < source.length && source[at] !== '|' && source[at] !== ')') parts.push(repetition(atom()));
    return { sequence: parts };
  };
  const repetition = (part: Part): Part => {
    const range = rangeOf();
    if (!range) return part;
    // Whether the shortest or the longest match is tried first makes no difference.
    take('?');
    return { repeated: part, ...range };
  };
  const rangeOf = (): { readonly min: number; readonly max: number } | undefined => {
    if (take('*')) return { min: 0, max: Number.POSITIVE_INFINITY };
    if (take('+')) return { min: 1, max: Number.POSITIVE_INFINITY };
    if (take('?')) return { min: 0, max: 1 };
    const match = takeMatch(quantifier);
    if (!match) return undefined;
    const [, min, comma, max] = match;
    return { min: Number(min), max: comma ? Number(max || Number.POSITIVE_INFINITY) : Number(min) };
  };
  const atom = (): Part => {
    if (take('^')) return { assertion: flags.includes('m') ? isLineEnd : (before) => before === undefined };
    if (take('$')) {
      return { assertion: flags.includes('m') ? (_, after) => isLineEnd(after) : (_, after) => after === undefined };
    }
    if (take('(')) return group();
    if (source[at] === '[') return single(characterClass());
    if (source[at] === '\\') return escaped();
    const character = isUnicode ? String.fromCodePoint(source.codePointAt(at) ?? 0) : source.charAt(at);
    at += character.length;
    // Outside of Unicode mode, some characters stand for themselves that must be escaped elsewhere.
    return single('{}]'.includes(character) ? `\\${character}` : character);
  };
  const group = (): Part => {
    if (['?=', '?!', '?<=', '?<!'].some(take)) throw new Error('lookaheads and lookbehinds are not supported');
    if (take('?<')) at = source.indexOf('>', at) + 1;
    else if (take('?') && !take(':')) throw new Error('modifiers of flags are not supported');
    const inner = choices();
    take(')');
    return inner;
  };
  const characterClass = (): string => {
    const start = at;
    for (at += 1; source[at] !== ']'; at += 1) if (source[at] === '\\') at += 1;
    at += 1;
    return source.slice(start, at);
  };
  const escaped = (): Part => {
    const [text = ''] = takeMatch(isUnicode ? escapes.unicode : escapes.legacy) ?? [];
    if (text === '\\b') return { assertion: isBoundary };
    if (text === '\\B') return { assertion: (before, after) => !isBoundary(before, after) };
    if (/^\\[1-9k]$/.test(text)) throw new Error('back references are not supported');
    if (text === '\\c') throw new Error('\\c must be followed by a letter');
    return single(text);
  };
  return choices();
}
