import { styleText } from 'node:util';
import { isObject, type JsonObject } from '../../core/model/json.ts';
import { authorFrames } from '../../core/model/stack.ts';
import { withoutControls } from '../../core/model/text.ts';

type Color = Parameters<typeof styleText>[0];

/** Fields that say little to a reader of the lines. */
const notShown: ReadonlySet<string> = new Set(['pid', 'hostname', 'request', 'trace', 'span']);

/** pino's levels. */
const levels: readonly (readonly [from: number, name: string, color: Color])[] = [
  [50, 'ERROR', 'red'],
  [40, 'WARN ', 'yellow'],
  [30, 'INFO ', 'green'],
  [0, 'DEBUG', 'gray'],
];

/** Text in a color, or unchanged. */
type Paint = (color: Color, text: string) => string;

/** Colors where stderr is a terminal, unless `NO_COLOR` is set. */
const onStderr: Paint = (color, text) => styleText(color, text, { stream: process.stderr });

/**
 * A line of the log for people: time, level, message, fields, and the stack of an error below it. Control characters, which
 * agents may have written, are replaced.
 *
 * @param json a line as pino writes it
 */
export function readableLine(json: string, paint: Paint = onStderr): string {
  const record = parse(json);
  if (record === undefined) return `${withoutControls(json.trimEnd())}\n`;
  const { time, level, msg, err, ...others } = record;
  const [, name, color] = levels.find(([from]) => Number(level) >= from) ?? ([0, 'DEBUG', 'gray'] as const);
  const at = new Date(Number(time)).toTimeString().slice(0, 8);
  const fields = fieldsOf(others).map(([key, value]) => `${paint('cyan', withoutControls(key))}=${shown(value)}`);
  const line = [paint('gray', at), paint(color, name), oneLine(String(msg ?? '')), ...fields].join(' ');
  return `${line}\n${err === undefined ? '' : errorLines(err, '  ', paint)}`;
}

/** Undefined when the removal of a secret has left no JSON. */
function parse(line: string): JsonObject | undefined {
  try {
    return JSON.parse(line) as JsonObject;
  } catch {
    return undefined;
  }
}

const oneLine = (text: string): string => withoutControls(text.replace(/\s+/g, ' '));

/** The fields to show, those of nested objects too. */
function fieldsOf(record: JsonObject, prefix = ''): [key: string, value: unknown][] {
  return Object.entries(record).flatMap(([key, value]): [string, unknown][] => {
    if (isObject(value)) return fieldsOf(value, `${prefix}${key}.`);
    const isEmpty = value === '' || (Array.isArray(value) && value.length === 0);
    const isUsual = key === 'principal' && value === 'anonymous';
    return notShown.has(key) || isEmpty || isUsual ? [] : [[prefix + key, value]];
  });
}

/** A text as it is where it is one word, otherwise JSON. */
function shown(value: unknown): string {
  const simple = Array.isArray(value) ? value.join(',') : value;
  const text = typeof simple === 'string' && /^[^\s"=]+$/.test(simple) ? simple : JSON.stringify(value);
  return withoutControls(text);
}

/** An error, the calls of its stack in the code of agents where there are any, otherwise all, and its causes. */
function errorLines(error: unknown, indent: string, paint: Paint): string {
  if (!isObject(error)) return `${indent}${oneLine(String(error))}\n`;
  const { type, message, stack, cause } = error;
  const own = authorFrames(stack);
  const frames = own.length > 0 ? own : (String(stack ?? '').match(/^ +at .*$/gm) ?? []);
  const calls = frames.map((frame) => `${paint('gray', `${indent}  ${oneLine(frame.trim())}`)}\n`);
  const reason = cause === undefined ? '' : `${indent}caused by:\n${errorLines(cause, `${indent}  `, paint)}`;
  return `${indent}${oneLine(`${String(type)}: ${String(message)}`)}\n${calls.join('')}${reason}`;
}
