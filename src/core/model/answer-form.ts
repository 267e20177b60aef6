import { isObject, type JsonObject } from './json.ts';
import { answerValue, propertiesOf } from './question.ts';

/** One input of a form for an answer. */
export interface Field {
  /** Name of the input in the form: properties may have names that forms cannot send. */
  readonly name: string;
  /** Path under which errors of its value are reported, such as `answer.colour`. */
  readonly path: string;
  readonly label: string;
  readonly help?: string;
  readonly required: boolean;
  readonly kind: 'text' | 'number' | 'lines' | 'one' | 'many';
  /** For `one` and `many`: the values and their labels. */
  readonly choices: readonly { readonly value: unknown; readonly label: string }[];
  readonly preset: readonly string[];
}

/** Name of the only input for an answer without properties. */
export const wholeAnswer = 'answer';

/** A schema with more properties, or of more characters, gets one input for JSON text. */
const most = { properties: 40, characters: 64 * 1024 } as const;

const textOf = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);

/** A value as the text of an input. */
export const written = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** Whether the answer to a question is an object with an input for each property. */
const hasFields = (schema: JsonObject | undefined): schema is JsonObject =>
  schema !== undefined &&
  Object.keys(propertiesOf(schema)).length <= most.properties &&
  JSON.stringify(schema).length <= most.characters;

/** The inputs for an answer: one for each property of the schema, or one for the whole answer. */
export function fieldsOf(schema: JsonObject | undefined): Field[] {
  const properties = hasFields(schema) ? Object.entries(propertiesOf(schema)) : [];
  if (properties.length === 0) {
    const { kind, choices, preset, ...rest } = fieldOf(
      wholeAnswer,
      'answer',
      'Answer',
      hasFields(schema) ? schema : {},
    );
    return [{ ...rest, choices, preset, required: true, kind: kind === 'text' ? 'lines' : kind }];
  }
  const required = Array.isArray(schema?.required) ? schema.required : [];
  return properties.map(([property, wanted], i) => {
    const field = fieldOf(`f${i}`, `answer.${property}`, property, isObject(wanted) ? wanted : {});
    return { ...field, required: required.includes(property) };
  });
}

function fieldOf(name: string, path: string, property: string, schema: JsonObject): Field {
  const { type, title, description, default: preset } = schema;
  const of = isObject(schema.items) ? schema.items : {};
  const choices = type === 'boolean' ? yesAndNo : choicesOf(type === 'array' ? of : schema);
  const help = textOf(description);
  const isNumber = type === 'number' || type === 'integer';
  const isJson = type === 'array' || type === 'object';
  const isLong = isJson || Number(schema.maxLength) > 200;
  return {
    name,
    path,
    choices,
    label: textOf(title) ?? property,
    required: false,
    ...(help !== undefined && { help }),
    kind: choices.length > 0 ? (type === 'array' ? 'many' : 'one') : isNumber ? 'number' : isLong ? 'lines' : 'text',
    preset:
      preset === undefined ? [] : Array.isArray(preset) && choices.length > 0 ? preset.map(written) : [written(preset)],
  };
}

const yesAndNo = [
  { value: true, label: 'yes' },
  { value: false, label: 'no' },
];

/** The choices of a schema, as MCP's elicitation and JSON Schema name them. */
function choicesOf({ enum: values, enumNames: titles, oneOf, anyOf }: JsonObject): Field['choices'] {
  if (Array.isArray(values)) {
    const labels: readonly unknown[] = Array.isArray(titles) ? titles : [];
    return values.map((value, i) => ({ value, label: textOf(labels[i]) ?? written(value) }));
  }
  const named = [oneOf, anyOf].find(Array.isArray)?.filter(isObject) ?? [];
  return named.some((each) => !('const' in each))
    ? []
    : named.map(({ const: value, title }) => ({ value, label: textOf(title) ?? written(value) }));
}

/** Reads the answer from a form, converted to the types of the schema. An input that was left empty is left out. */
export function readForm(schema: JsonObject | undefined, form: URLSearchParams): unknown {
  const fields = fieldsOf(schema);
  const [only] = fields;
  if (only?.name === wholeAnswer) return valueIn(only, hasFields(schema) ? schema : undefined, form) ?? '';
  const wanted = Object.entries(propertiesOf(schema));
  return Object.fromEntries(
    fields.flatMap((field, i) => {
      const [property = '', of] = wanted[i] ?? [];
      const value = valueIn(field, of, form);
      return value === undefined ? [] : [[property, value]];
    }),
  );
}

function valueIn({ name, kind, choices }: Field, schema: unknown, form: URLSearchParams): unknown {
  const values = form.getAll(name).flatMap((sent) => {
    const text = sent.replaceAll('\r\n', '\n');
    const chosen = choices.find(({ value }) => written(value) === text);
    return text === '' ? [] : [chosen ? chosen.value : answerValue(text, schema)];
  });
  // A list may also be written as JSON.
  return kind === 'many' && values.length > 0 ? values.flat() : values[0];
}
