import {
  type Field,
  type InputValue,
  namedType,
  type Schema,
  type SchemaType,
  type TypeRef,
} from './graphql-schema.ts';

/** What may stand at a place in a GraphQL document. */
export type Place =
  | { readonly kind: 'document' | 'fragmentName' | 'none' }
  | { readonly kind: 'field'; readonly type: SchemaType | undefined }
  | { readonly kind: 'spread' | 'typeCondition' | 'variableType' | 'directive' }
  | { readonly kind: 'argument'; readonly args: readonly InputValue[]; readonly used: ReadonlySet<string> }
  | { readonly kind: 'value'; readonly type: TypeRef | undefined };

export interface Token {
  readonly kind: 'name' | 'punctuator' | 'string' | 'number' | 'comment' | 'unfinished';
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

const pattern =
  /(?<comment>#[^\n]*)|(?<block>"""[^"]*(?:""?[^"]+)*(?:"""|"?"?$))|(?<string>"(?:[^"\\\n]|\\.)*"?)|(?<dots>\.{1,3})|(?<name>[A-Za-z_]\w*)|(?<number>-?\d[\d.eE+-]*)|(?<punctuator>[!$&()=:@[\]{|}])/g;

/** The tokens of a text, which need not be complete. White space, commas and unknown characters are skipped. */
export function tokensOf(text: string): Token[] {
  return Array.from(text.matchAll(pattern), ({ 0: word, index, groups = {} }): Token => {
    const place = { text: word, start: index, end: index + word.length };
    if (groups.comment !== undefined) return { kind: 'comment', ...place };
    if (groups.block !== undefined) return { kind: /^"""[\s\S]*"""$/.test(word) ? 'string' : 'unfinished', ...place };
    if (groups.string !== undefined)
      return { kind: /^"(?:[^"\\]|\\.)*"$/.test(word) ? 'string' : 'unfinished', ...place };
    if (groups.name !== undefined) return { kind: 'name', ...place };
    return { kind: groups.number === undefined ? 'punctuator' : 'number', ...place };
  });
}

/** One open bracket, and what was read inside of it. */
type Frame =
  | { readonly kind: 'document'; words: string[]; condition?: string | undefined }
  | { readonly kind: 'variables'; typed: boolean }
  | SelectionFrame
  | ArgumentsFrame
  | { readonly kind: 'list'; readonly type: TypeRef | undefined };

interface SelectionFrame {
  readonly kind: 'selection';
  readonly type: SchemaType | undefined;
  field?: Field | undefined;
  /** After `...`: what was read of the spread. */
  spread?: string[] | undefined;
}

interface ArgumentsFrame {
  readonly kind: 'arguments';
  readonly args: readonly InputValue[];
  readonly used: Set<string>;
  current?: string | undefined;
  expectsValue: boolean;
}

/** What may stand after the given tokens. */
export function placeAfter(tokens: readonly Token[], schema: Schema): Place {
  const reader = new Reader(schema);
  for (const token of tokens) if (token.kind !== 'comment') reader.read(token);
  return reader.place();
}

const keywords = ['query', 'mutation', 'subscription'] as const;

class Reader {
  readonly #schema: Schema;
  readonly #frames: Frame[] = [{ kind: 'document', words: [] }];
  /** After `@`: the name of the directive, once it was read. */
  #directive: { name?: string } | undefined;

  constructor(schema: Schema) {
    this.#schema = schema;
  }

  read(token: Token): void {
    if (token.text === '@') {
      this.#directive = {};
    } else if (this.#directive && this.#directive.name === undefined && token.kind === 'name') {
      this.#directive.name = token.text;
    } else if (token.text === '(' || token.text === '{' || token.text === '[') {
      this.#open(token.text);
    } else if (token.text === ')' || token.text === '}' || token.text === ']') {
      this.#close();
    } else {
      this.#directive = undefined;
      this.#word(token);
    }
  }

  place(): Place {
    if (this.#directive && this.#directive.name === undefined) return { kind: 'directive' };
    const frame = this.#top;
    switch (frame.kind) {
      case 'document':
        return documentPlace(frame.words);
      case 'variables':
        return { kind: frame.typed ? 'variableType' : 'none' };
      case 'selection':
        if (!frame.spread) return { kind: 'field', type: frame.type };
        if (frame.spread.length > 1) return { kind: 'none' };
        return { kind: frame.spread[0] === 'on' ? 'typeCondition' : 'spread' };
      case 'arguments':
        if (frame.expectsValue) return { kind: 'value', type: this.#argument(frame)?.type };
        return { kind: 'argument', args: frame.args, used: frame.used };
      case 'list':
        return { kind: 'value', type: frame.type };
    }
  }

  get #top(): Frame {
    return this.#frames.at(-1) as Frame;
  }

  #argument({ args, current }: ArgumentsFrame): InputValue | undefined {
    return args.find(({ name }) => name === current);
  }

  #open(bracket: string): void {
    const frame = this.#top;
    const directive = this.#schema.directives.find(({ name }) => name === this.#directive?.name);
    this.#directive = undefined;
    if (frame.kind === 'arguments' || frame.kind === 'list') this.#openValue(bracket, frame);
    else if (bracket === '{') this.#frames.push({ kind: 'selection', type: this.#selectedType(frame) });
    else if (bracket === '(' && directive) this.#frames.push(argumentsOf(directive.args));
    else if (bracket === '(' && frame.kind === 'document') this.#frames.push({ kind: 'variables', typed: false });
    else if (bracket === '[' && frame.kind === 'variables') this.#frames.push({ kind: 'variables', typed: true });
    else if (bracket === '(' && frame.kind === 'selection') this.#frames.push(argumentsOf(frame.field?.args ?? []));
    else this.#frames.push({ kind: 'list', type: undefined });
  }

  /** A list, or an input object, inside of arguments. */
  #openValue(bracket: string, frame: Extract<Frame, { kind: 'arguments' | 'list' }>): void {
    const type = frame.kind === 'list' ? frame.type : this.#argument(frame)?.type;
    if (bracket === '{') {
      const fields = type && this.#schema.types.get(namedType(type))?.inputFields;
      this.#frames.push(argumentsOf(fields ?? []));
    } else {
      this.#frames.push({ kind: 'list', type: type && itemOf(type) });
    }
  }

  #selectedType(frame: Frame): SchemaType | undefined {
    const { types, roots } = this.#schema;
    if (frame.kind === 'selection') {
      const [on, name] = frame.spread ?? [];
      if (on === 'on' && name !== undefined) return types.get(name);
      if (frame.spread) return frame.type;
      return frame.field && types.get(namedType(frame.field.type));
    }
    if (frame.kind !== 'document') return undefined;
    if (frame.words[0] === 'fragment') return types.get(frame.words.at(-1) ?? '');
    const keyword = keywords.find((word) => word === frame.words[0]) ?? 'query';
    return types.get(roots[keyword] ?? '');
  }

  #close(): void {
    this.#directive = undefined;
    const closed = this.#frames.length > 1 ? this.#frames.pop() : undefined;
    const frame = this.#top;
    if (frame.kind === 'arguments' && frame.expectsValue) frame.expectsValue = false;
    if (frame.kind === 'document' && closed?.kind === 'selection') frame.words = [];
    if (frame.kind === 'selection' && closed?.kind === 'selection') frame.spread = undefined;
  }

  #word({ kind, text }: Token): void {
    const frame = this.#top;
    if (frame.kind === 'document' && kind === 'name') frame.words.push(text);
    else if (frame.kind === 'variables') frame.typed = text === ':' || (frame.typed && text === '!');
    else if (frame.kind === 'selection') this.#selected(frame, text, kind);
    else if (frame.kind === 'arguments') this.#argued(frame, text, kind);
  }

  #selected(frame: SelectionFrame, text: string, kind: Token['kind']): void {
    if (text === '...') {
      frame.spread = [];
    } else if (frame.spread) {
      if (kind !== 'name') return;
      const [on, ...more] = frame.spread;
      // A fragment's name ends the spread; after `on` a type follows, and after the type the selection.
      const isOver = on === undefined ? text !== 'on' : on === 'on' && more.length > 0;
      if (!isOver) frame.spread.push(text);
      else frame.spread = undefined;
      if (isOver && on !== undefined) this.#selected(frame, text, kind);
    } else if (kind === 'name') {
      frame.field = frame.type?.fields?.find(({ name }) => name === text);
    }
  }

  #argued(frame: ArgumentsFrame, text: string, kind: Token['kind']): void {
    if (text === ':') frame.expectsValue = true;
    else if (frame.expectsValue) frame.expectsValue = text === '$';
    else if (kind === 'name') {
      frame.current = text;
      frame.used.add(text);
    }
  }
}

const argumentsOf = (args: readonly InputValue[]): ArgumentsFrame => ({
  kind: 'arguments',
  args,
  used: new Set(),
  expectsValue: false,
});

/** The type of a list's items. */
function itemOf(type: TypeRef): TypeRef | undefined {
  if (type.kind === 'NON_NULL') return type.ofType ? itemOf(type.ofType) : undefined;
  return type.kind === 'LIST' ? (type.ofType ?? undefined) : type;
}

function documentPlace(words: readonly string[]): Place {
  if (words.length === 0) return { kind: 'document' };
  if (words[0] !== 'fragment') return { kind: 'none' };
  return { kind: words.at(-1) === 'on' ? 'typeCondition' : 'fragmentName' };
}
