import type { RecordedCall, WireExchange, WireFrame } from '../../../../gen/admin-v1/types.ts';
import { lines, quoted } from '../../wire/commands.ts';

/** Characters of JSON that is indented. */
const maxIndented = 64 << 10;

/** JSON with line breaks and indents between its tokens, which stay as they are; any other text is not changed. */
export function indented(text: string): string {
  if (text.length > maxIndented || !/^\s*[{[]/.test(text)) return text;
  let depth = 0;
  const broken = (): string => `\n${'  '.repeat(Math.max(0, Math.min(depth, 20)))}`;
  return text.replace(/"(?:\\.|[^"\\])*"|\{\s*\}|\[\s*\]|[{[\]},:]|\s+/g, (token) => {
    if (token === '{' || token === '[') depth += 1;
    if (token === '}' || token === ']') depth -= 1;
    if (token === '}' || token === ']') return broken() + token;
    if (token === '{' || token === '[' || token === ',') return token + broken();
    return token === ':' ? ': ' : token.trim() === '' ? '' : token;
  });
}

const linesOf = (headers: WireFrame['headers'] = []): string[] => headers.map(({ name, value }) => `${name}: ${value}`);

/** A message of HTTP as a text. */
export const textOf = ({ head, headers, text = '', trailers, cut }: WireFrame): string =>
  [
    ...[head, ...linesOf(headers), '', indented(text)],
    ...(Number(cut) > 0 ? ['', `[${cut} further bytes were not kept]`] : []),
    ...(trailers?.length ? ['', ...linesOf(trailers)] : []),
  ].join('\n');

/** Headers that curl writes by itself, and cookies. */
const ofCurl = /^(?::.*|host|content-length|connection|transfer-encoding|accept-encoding|te|cookie)$/i;

/**
 * A recorded request as a command of a shell, with credentials from the environment. Nothing of what others sent is more than a
 * word of it. Undefined where not all of the request was kept.
 *
 * @param urlOf the URL of a path
 */
export function curlOf(frame: WireFrame | undefined, urlOf: (path: string) => string): string | undefined {
  const [verb = '', path = '', version] = frame?.head?.split(' ') ?? [];
  if (!frame || !path.startsWith('/') || Number(frame.cut) > 0) return undefined;
  const { headers = [], text = '', base64 = '' } = frame;
  const url = urlOf(path);
  const words = headers
    .filter(({ name }) => !ofCurl.test(name))
    .map(({ name, value = '' }) => {
      if (!value.includes('[secret]')) return `-H ${quoted(`${name}: ${value}`)}`;
      const isBearer = name.toLowerCase() === 'authorization';
      return `-H ${quoted(`${name}:${isBearer ? ' Bearer ' : ' '}`)}"$A2A_${isBearer ? 'BEARER' : 'API_KEY'}"`;
    });
  const first = `curl -X ${quoted(verb)} ${version === 'HTTP/2' && url.startsWith('http:') ? '--http2-prior-knowledge ' : ''}${quoted(url)}`;
  // Control characters would act in the terminal that the command is copied to.
  const bytes = base64 || (/[^\P{Cc}\n\t]/u.test(text) ? toBase64(text) : '');
  if (bytes) return `printf %s ${bytes} | base64 -d |\n  ${lines([first, ...words, '--output -', '--data-binary @-'])}`;
  return lines([first, ...words, ...(text ? [`--data-raw ${quoted(text)}`] : [])]);
}

const toBase64 = (text: string): string =>
  btoa(Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte)).join(''));

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** One side of a call. */
interface Side {
  readonly name: string;
  readonly dialect?: string;
  readonly binding?: string;
  readonly error?: string;
  readonly exchange: WireExchange;
  /** The request, and the answer, in the form of A2A 1.0. */
  readonly request?: unknown;
  readonly answer?: unknown;
}

/** The frames of a call as golden frames: bytes in, and what they mean in A2A 1.0 where that is known. */
export function goldenFrames(record: RecordedCall): object[] {
  const { client, attempts = [], operation = '', request = '', reply = '', events = [], time, ...rest } = record;
  const frames = ({ name, dialect, binding, exchange, error, request: asked, answer }: Side): object[] => {
    const { request: sent, answer: got } = exchange;
    const [verb = '', path = ''] = sent?.head?.split(' ') ?? [];
    const call = parsed(sent?.text ?? '') as { method?: string; params?: unknown } | undefined;
    const said = parsed(got?.text ?? '') as { result?: unknown; error?: unknown } | undefined;
    const isRpc = binding === 'jsonrpc';
    const isStream = got?.headers?.some(({ value }) => value?.startsWith('text/event-stream'));
    const common = {
      ...{ dialect, source: `recorded ${time}` },
      ...(!isRpc && { face: binding === 'rest' ? 'rest' : 'grpc' }),
    };
    const of = (isRpc && call?.method) || operation;
    const kind = error ? 'error' : isStream ? 'stream' : 'result';
    const body = (whole: string | undefined, inner: unknown) =>
      isRpc && inner ? JSON.stringify(inner) : (whole ?? '');
    const status = Number(got?.head?.split(' ')[1]);
    const failed = isRpc ? body(got?.text, said?.error) : JSON.stringify({ status, body: said ?? got?.text });
    return [
      {
        ...{ name: `${name}: request`, ...common, kind: 'request', of, in: body(sent?.text, call?.params) },
        ...(binding === 'rest' && { http: `${verb} ${path}` }),
        ...(asked !== undefined && { v1: { request: asked } }),
      },
      {
        ...{ name: `${name}: answer`, ...common, kind, of: error ?? of },
        in: error ? failed : isStream ? got?.text : body(got?.text, said?.result),
        ...(!error && answer !== undefined && { v1: answer }),
      },
    ];
  };
  const answer = events.length > 0 ? events.map(parsed) : parsed(reply);
  const ofClient = client
    ? frames({ ...rest, name: 'client', exchange: client, request: parsed(request), answer })
    : [];
  const ofAgents = attempts.flatMap(({ exchanges = [], ...to }) =>
    exchanges.flatMap((exchange) => frames({ ...to, name: `agent ${to.agent}`, exchange })),
  );
  return [...ofClient, ...ofAgents];
}
