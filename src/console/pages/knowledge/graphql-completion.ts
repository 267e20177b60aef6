import { type Place, placeAfter, type Token, tokensOf } from './graphql-context.ts';
import {
  type Field,
  type InputValue,
  isComposite,
  isRequired,
  namedType,
  type Schema,
  type TypeRef,
  typeText,
} from './graphql-schema.ts';

/** One thing that may be written at the cursor. */
export interface Suggestion {
  readonly label: string;
  /** Its type, or what it is. */
  readonly detail: string;
  readonly description: string;
  /** The text to write. */
  readonly insert: string;
  /** Where the cursor stands in this text afterwards. */
  readonly cursor: number;
}

export interface Completion {
  /** The part of the text that a suggestion replaces. */
  readonly from: number;
  readonly to: number;
  readonly suggestions: readonly Suggestion[];
}

const none = (at: number): Completion => ({ from: at, to: at, suggestions: [] });

/** What may be written at the cursor. Suggestions begin with what is already written; if none does, they contain it. */
export function complete(text: string, cursor: number, schema: Schema): Completion {
  const before = tokensOf(text.slice(0, cursor));
  const last = before.at(-1);
  if (last?.kind === 'comment' || last?.kind === 'unfinished') return none(cursor);
  const word = last?.kind === 'name' && last.end === cursor ? last : undefined;
  const tokens = word ? before.slice(0, -1) : before;
  const isVariable = tokens.at(-1)?.text === '$';
  const place = placeAfter(isVariable ? tokens.slice(0, -1) : tokens, schema);
  const end = endOfWord(text, cursor);
  const all =
    isVariable && place.kind === 'value'
      ? variablesIn(text).map((name) => plain(name, 'variable'))
      : isVariable
        ? []
        : suggestionsFor(place, schema, text, text.slice(end));
  return { from: word?.start ?? cursor, to: end, suggestions: matching(all, word?.text ?? '') };
}

function endOfWord(text: string, cursor: number): number {
  const rest = /\w*/y;
  rest.lastIndex = cursor;
  return cursor + (rest.exec(text)?.[0].length ?? 0);
}

function matching(all: readonly Suggestion[], written: string): Suggestion[] {
  const wanted = written.toLowerCase();
  const begins = all.filter(({ label }) => label.toLowerCase().startsWith(wanted));
  return begins.length > 0 ? begins : all.filter(({ label }) => label.toLowerCase().includes(wanted));
}

const plain = (label: string, detail: string, description: string | null = ''): Suggestion => ({
  ...{ label, detail, description: description ?? '', insert: label, cursor: label.length },
});

const typename: Field = {
  name: '__typename',
  description: 'The name of the type.',
  args: [],
  type: { kind: 'SCALAR', name: 'String' },
};

function suggestionsFor(place: Place, schema: Schema, text: string, rest: string): Suggestion[] {
  switch (place.kind) {
    case 'document':
      return [
        ...Object.keys(schema.roots).map((keyword) => plain(keyword, 'operation')),
        plain('fragment', 'definition'),
      ];
    case 'field': {
      const fields = [...(place.type?.fields ?? []), ...(place.type ? [typename] : [])];
      return fields.map((field) => ofField(field, schema, rest));
    }
    case 'argument':
      return place.args.filter(({ name }) => !place.used.has(name)).map(ofArgument);
    case 'value':
      return ofValue(place.type, schema, text);
    case 'spread':
      return [plain('on', 'keyword'), ...fragmentsIn(text).map((name) => plain(name, 'fragment'))];
    case 'typeCondition':
      return typesOf(schema, ['OBJECT', 'INTERFACE', 'UNION']);
    case 'variableType':
      return typesOf(schema, ['SCALAR', 'ENUM', 'INPUT_OBJECT']);
    case 'directive':
      return schema.directives
        .filter(({ locations }) => locations.includes('FIELD'))
        .map(({ name, description }) => plain(name, 'directive', description));
    default:
      return [];
  }
}

/** A field with the arguments that it requires, and with an empty selection where it has fields. */
function ofField(field: Field, schema: Schema, rest: string): Suggestion {
  const { name, args, type, description } = field;
  const following = rest.trimStart().charAt(0);
  const required = following === '(' || following === '{' ? [] : args.filter(isRequired);
  const given = required.map((arg) => `${arg.name}: `).join(', ');
  const head = required.length > 0 ? `${name}(${given})` : name;
  const insert = isComposite(schema, type) && !['(', '{'].includes(following) ? `${head} {  }` : head;
  const inArguments = `${name}(${required[0]?.name}: `.length;
  const inSelection = insert === head ? insert.length : insert.length - 2;
  const cursor = required.length > 0 ? inArguments : inSelection;
  return { label: name, detail: typeText(type), description: description ?? '', insert, cursor };
}

function ofArgument({ name, type, description }: InputValue): Suggestion {
  const insert = `${name}: `;
  return { label: name, detail: typeText(type), description: description ?? '', insert, cursor: insert.length };
}

function ofValue(type: TypeRef | undefined, schema: Schema, text: string): Suggestion[] {
  const name = type && namedType(type);
  const values = (name !== undefined && schema.types.get(name)?.enumValues) || [];
  return [
    ...variablesIn(text).map((variable) => plain(`$${variable}`, 'variable')),
    ...values.map((value) => plain(value.name, name ?? '', value.description ?? '')),
    ...(name === 'Boolean' ? [plain('true', name), plain('false', name)] : []),
    ...(type && type.kind !== 'NON_NULL' ? [plain('null', 'no value')] : []),
  ];
}

const typesOf = (schema: Schema, kinds: readonly string[]): Suggestion[] =>
  [...schema.types.values()]
    .filter(({ kind, name }) => kinds.includes(kind) && !name.startsWith('__'))
    .map(({ name, kind, description }) => plain(name, kind.toLowerCase().replace('_', ' '), description));

const without = (tokens: readonly Token[]): Token[] => tokens.filter(({ kind }) => kind !== 'comment');

/** Names of the variables that a document declares. */
function variablesIn(text: string): string[] {
  const tokens = without(tokensOf(text));
  return tokens.flatMap(({ text: sign }, i) =>
    sign === '$' && tokens[i + 2]?.text === ':' ? [tokens[i + 1]?.text ?? ''] : [],
  );
}

/** Names of the fragments that a document defines. */
function fragmentsIn(text: string): string[] {
  const tokens = without(tokensOf(text));
  return tokens.flatMap(({ text: word }, i) => {
    const name = tokens[i + 1];
    return word === 'fragment' && name?.kind === 'name' && tokens[i + 2]?.text === 'on' ? [name.text] : [];
  });
}
