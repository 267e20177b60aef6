import { A2AError } from '../../../core/model/errors.ts';

/** A request as text: its first line, headers, an empty line, and the body. It is what users edit, and is sent as it stands. */

export interface HttpText {
  readonly verb: string;
  /** Path below the gateway's mount point, with the query. */
  readonly path: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** '' where there is none. */
  readonly body: string;
}

/** The text of a request. */
export function formatHttp({ verb, path, headers, body }: HttpText): string {
  const head = [`${verb} ${path}`, ...headers.map(([name, value]) => `${name}: ${value}`)].join('\n');
  return body === '' ? head : `${head}\n\n${body}`;
}

const requestLine = /^([A-Za-z]+)[ \t]+(\S+)(?:[ \t]+HTTP\/[\d.]+)?[ \t]*$/;
const headerLine = /^([\w!#$%&'*+.^`|~-]+):(.*)$/;

/**
 * Reads the text of a request. The body is taken as it stands.
 *
 * @throws A2AError `invalidRequest` that names the line
 */
export function parseHttp(text: string): HttpText {
  const [, head = '', body = ''] = /^([\s\S]*?)(?:\r?\n[ \t]*\r?\n([\s\S]*))?$/.exec(text.trimStart()) ?? [];
  const [first = '', ...lines] = head.split(/\r?\n/);
  const [, verb, path] = requestLine.exec(first) ?? [];
  if (verb === undefined || path === undefined) {
    throw new A2AError('invalidRequest', 'The first line must be a method and a path, such as POST /demo');
  }
  if (!path.startsWith('/')) {
    throw new A2AError('invalidRequest', 'The path must begin with a slash: requests go to this gateway only');
  }
  const headers = lines
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const [, name, value] = headerLine.exec(line) ?? [];
      if (name === undefined || value === undefined) {
        throw new A2AError('invalidRequest', `This line is not a header: ${line.slice(0, 80)}`);
      }
      return [name, value.trim()] as const;
    });
  return { verb: verb.toUpperCase(), path, headers, body };
}

/** The value of a header; '' where there is none. */
export function headerOf({ headers }: Pick<HttpText, 'headers'>, name: string): string {
  return headers.find(([each]) => each.toLowerCase() === name.toLowerCase())?.[1] ?? '';
}

/** The same request with a header set, or removed where `value` is undefined. */
export function withHeader(request: HttpText, name: string, value: string | undefined): HttpText {
  const others = request.headers.filter(([each]) => each.toLowerCase() !== name.toLowerCase());
  return { ...request, headers: value === undefined ? others : [...others, [name, value]] };
}
