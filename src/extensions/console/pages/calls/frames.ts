import { parsedJson } from '../../../../core/model/json.ts';
import type { RecordedCall, WireFrame } from '../../../../gen/admin-v1/types.ts';
import { curl } from '../../wire/commands.ts';

/** Characters of JSON that is indented. */
const maxIndented = 64 << 10;

/**
 * Returns JSON with line breaks and indents between its tokens, which stay unchanged; any other text is not changed.
 */
export function indented(text: string): string {
  if (text.length > maxIndented || !/^\s*[{[]/.test(text)) return text;
  let depth = 0;
  const broken = (): string => `\n${'  '.repeat(Math.max(0, Math.min(depth, 20)))}`;
  // A string without its end counts as one: otherwise each of its quotes would be tried, up to the end.
  return text.replace(/"(?:\\.|[^"\\])*"?|\{\s*\}|\[\s*\]|[{[\]},:]|\s+/g, (token) => {
    if (token === '{' || token === '[') depth += 1;
    if (token === '}' || token === ']') depth -= 1;
    if (token === '}' || token === ']') return broken() + token;
    if (token === '{' || token === '[' || token === ',') return token + broken();
    return token === ':' ? ': ' : token.trim() === '' ? '' : token;
  });
}

const linesOf = (headers: WireFrame['headers'] = []): string[] => headers.map(({ name, value }) => `${name}: ${value}`);

/** Returns a message of HTTP as a text. */
export const textOf = ({ head, headers, text = '', trailers, cut }: WireFrame): string =>
  [
    ...[head, ...linesOf(headers), '', indented(text)],
    ...(Number(cut) > 0 ? ['', `[${cut} further bytes were not kept]`] : []),
    ...(trailers?.length ? ['', ...linesOf(trailers)] : []),
  ].join('\n');

/** Headers that curl writes by itself, and cookies. */
const ofCurl = /^(?::.*|host|content-length|connection|transfer-encoding|accept-encoding|te|cookie)$/i;

/**
 * Returns a recorded request as a command of a shell, with credentials from the environment. Every received text is
 * only a word of the command. Undefined if the recorded request is incomplete.
 *
 * @param urlOf returns the URL of a path
 */
export function curlOf(frame: WireFrame | undefined, urlOf: (path: string) => string): string | undefined {
  const [verb = '', path = '', version] = frame?.head?.split(' ') ?? [];
  if (!frame || !path.startsWith('/') || Number(frame.cut) > 0) return undefined;
  const { text: body = '', base64: bytes = '' } = frame;
  const url = urlOf(path);
  const headers = (frame.headers ?? [])
    .filter(({ name }) => !ofCurl.test(name))
    .map(({ name, value = '' }) => [name, value] as const);
  const flags = version === 'HTTP/2' && url.startsWith('http:') ? '--http2-prior-knowledge' : '';
  return curl({ verb, url, headers, body, bytes, flags });
}

/** The members of JSON-RPC that golden frames contain. */
type Rpc = { readonly method?: string; readonly params?: unknown; readonly result?: unknown; readonly error?: unknown };

/** Returns the frames of a call as golden frames: the bytes, and for the client's frames their meaning in A2A 1.0. */
export function goldenFrames(record: RecordedCall): object[] {
  const { client, attempts = [], request = '', reply = '', events = [], time } = record;
  const answer = events.length > 0 ? events.map(parsedJson) : parsedJson(reply);
  const sides = [
    ...(client ? [{ of: record, name: 'client', exchange: client, v1: { request: parsedJson(request) }, answer }] : []),
    ...attempts.flatMap((of) => (of.exchanges ?? []).map((exchange) => ({ of, name: `agent ${of.agent}`, exchange }))),
  ];
  return sides.flatMap(({ of: { dialect, binding, operation, error }, name, exchange, ...meaning }) => {
    const { request: sent, answer: got } = exchange;
    const [verb = '', path = ''] = sent?.head?.split(' ') ?? [];
    const [call, response] = [parsedJson(sent?.text ?? ''), parsedJson(got?.text ?? '')] as [
      Rpc | undefined,
      Rpc | undefined,
    ];
    const isRpc = binding === 'jsonrpc';
    const isStream = got?.headers?.some(({ value }) => value?.startsWith('text/event-stream'));
    const face = isRpc ? {} : { face: binding === 'rest' ? 'rest' : 'grpc' };
    const common = { dialect, source: `recorded ${time}`, ...face };
    const of = (isRpc && call?.method) || operation;
    const body = (whole = '', inner?: unknown) => (isRpc && inner ? JSON.stringify(inner) : whole);
    const whole = { status: Number(got?.head?.split(' ')[1]), body: response ?? got?.text };
    const failed = isRpc ? body(got?.text, response?.error) : JSON.stringify(whole);
    const kind = error ? 'error' : isStream ? 'stream' : 'result';
    return [
      {
        name: `${name}: request`,
        ...common,
        kind: 'request',
        of,
        in: body(sent?.text, call?.params),
        ...(binding === 'rest' && { http: `${verb} ${path}` }),
        ...('v1' in meaning && { v1: meaning.v1 }),
      },
      {
        name: `${name}: answer`,
        ...common,
        kind,
        of: error ?? of,
        in: error ? failed : body(got?.text, !isStream && response?.result),
        ...(!error && 'answer' in meaning && { v1: meaning.answer }),
      },
    ];
  });
}
