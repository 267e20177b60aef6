import { A2AError } from '../../core/model/errors.ts';
import { parseJsonText } from '../../wire/json.ts';
import { SseDecoder } from '../../wire/sse.ts';

/** A request over HTTP+JSON, as text: its first line, perhaps headers, an empty line, and the body. */
export interface HttpText {
  readonly verb: string;
  /** URL with its query. */
  readonly url: string;
  /** The header `A2A-Version`. */
  readonly version: string | undefined;
  /** Parsed body; undefined if there is none. */
  readonly body: unknown;
}

/** One frame of an event stream. */
export interface EventText {
  /** Name of the event; '' if it has none. */
  readonly event: string;
  readonly data: unknown;
}

/** A parsed text. Exactly one member is present. */
export interface Parsed {
  readonly json?: { readonly value: unknown };
  readonly http?: HttpText;
  readonly events?: readonly EventText[];
}

const requestLine = /^(GET|POST|PUT|PATCH|DELETE) +(\/\S*)(?: +HTTP\/[\d.]+)?[ \t]*(?:\r?\n|$)/;
const eventLine = /^(?:data|event|id|retry)?:/;

/** The largest text of one event. A text is in memory already, so nothing is gained by a smaller one. */
const maxEvent = 1 << 30;

/**
 * Parses JSON, an event stream, or a request over HTTP+JSON. JSON is read as in the gateway: nesting is limited, and
 * `__proto__` is refused.
 *
 * @throws A2AError `parse` with the position of the fault in the JSON
 */
export function parseFrame(text: string): Parsed {
  const trimmed = text.trim();
  if (trimmed === '') throw A2AError.parse('there is no text');
  const [line, verb, url] = requestLine.exec(trimmed) ?? [];
  if (line !== undefined && verb !== undefined && url !== undefined) {
    return { http: { verb, url, ...headersAndBody(trimmed.slice(line.length)) } };
  }
  if (eventLine.test(trimmed)) return { events: eventsOf(`${trimmed}\n\n`) };
  return { json: { value: parseDocument(trimmed) } };
}

function headersAndBody(rest: string): Pick<HttpText, 'version' | 'body'> {
  const [, headers = '', text = ''] = /^((?:[\w-]+:.*(?:\r?\n|$))*)([\s\S]*)$/.exec(rest) ?? [];
  const version = /^a2a-version:\s*(\S+)/im.exec(headers)?.[1];
  return { version, body: text.trim() === '' ? undefined : parseDocument(text) };
}

function eventsOf(text: string): EventText[] {
  const events = new SseDecoder(maxEvent).push(new TextEncoder().encode(text));
  // An event without data contains only its name.
  return events.flatMap(({ event, data }) => (data === '' ? [] : [{ event, data: parseDocument(data) }]));
}

function parseDocument(text: string): unknown {
  try {
    return parseJsonText(text);
  } catch (thrown) {
    throw A2AError.parse(`the document is not valid JSON: ${faultOf(text, thrown as Error)}`);
  }
}

/** Describes the position of a fault in JSON, which the gateway does not reveal to its callers. */
function faultOf(text: string, { message }: Error): string {
  if (message !== A2AError.parse().message) return message;
  try {
    JSON.parse(text);
    return message;
  } catch (thrown) {
    return (thrown as Error).message;
  }
}
