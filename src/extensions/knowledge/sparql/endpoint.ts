import type { SparqlConfig } from '../../../config/sections/knowledge.ts';
import { A2AError } from '../../../core/model/errors.ts';
import type { Logger } from '../../../core/ports/logger.ts';
import type { TraceContext } from '../../../core/telemetry/trace-context.ts';
import { ambientTrace, type Tracing, withSpan } from '../../../core/telemetry/tracing.ts';
import { createOutboundAuth } from '../../../net/credentials/outbound-auth.ts';
import type { OutboundAuthSettings } from '../../../net/credentials/outbound-settings.ts';
import type { HttpClient } from '../../../net/http-client.ts';
import type { BoundTerm } from './terms.ts';

/** A row of results: the bound variables by name. */
export type ResultRow = Readonly<Record<string, BoundTerm | undefined>>;

export interface EndpointOptions extends Omit<SparqlConfig, 'auth' | 'defaultGraph'> {
  /** HTTP client. The caller closes it. */
  readonly http: HttpClient;
  /** Credentials, sent only to the origin of `query`. Default: none. */
  readonly auth?: OutboundAuthSettings | undefined;
  /** Maximum size of a response in bytes. Default: 64 MiB. */
  readonly maxAnswer?: number;
  readonly logger: Logger;
  /** Creates spans for requests within a trace. Absent: no spans. */
  readonly tracing?: Tracing | undefined;
}

export type Endpoint = ReturnType<typeof createEndpoint>;

/** Maximum attempts of a request that is refused as unauthorized. */
const attempts = 2;
/** Characters of an error response that are logged. */
const loggedLength = 500;

/**
 * Creates the client of a graph database (SPARQL 1.1 Protocol). If the database is unavailable, all requests reject
 * with A2AError `unavailable`.
 */
export function createEndpoint(options: EndpointOptions) {
  const { http, timeout = 30_000, maxAnswer = 64 * 1024 * 1024, logger, tracing } = options;
  const auth = createOutboundAuth(options.auth, { origin: new URL(options.query).origin, http, logger });

  const send = async (url: URL, operation: 'query' | 'update', body: string, trace: TraceContext): Promise<Buffer> => {
    const type = `application/sparql-${operation}; charset=utf-8`;
    const isRepeatable = operation === 'query';
    const signal = AbortSignal.timeout(timeout);
    for (let attempt = 1; ; attempt++) {
      const credentials = await auth.headers(undefined, url, signal);
      const headers = { accept: 'application/sparql-results+json', 'content-type': type, ...trace, ...credentials };
      const answer = await http.request({ method: 'POST', url, headers, body, isRepeatable, signal, timeout });
      if (answer.status < 300) return answer.read(maxAnswer);
      const response = await answer.read(maxAnswer).then(
        (bytes) => auth.hide(bytes.toString('utf8', 0, loggedLength), undefined),
        () => '',
      );
      if (answer.status === 401 && attempt < attempts && auth.rejected(credentials)) continue;
      logger.warn(
        { url: url.origin + url.pathname, status: answer.status, response },
        'a SPARQL endpoint refused a request',
      );
      throw new Error(`the SPARQL endpoint answered with HTTP ${answer.status}`);
    }
  };

  /** Returns a function that sends queries or updates, each with a span if it belongs to a trace. */
  const sender = <T>(operation: 'query' | 'update', read: (answer: Buffer) => T): ((body: string) => Promise<T>) => {
    const url = new URL(options[operation]);
    const request = async (body: string, trace: TraceContext): Promise<T> => {
      const answer = await send(url, operation, body, trace).catch((cause: unknown) => {
        throw new A2AError('unavailable', 'The knowledge graph cannot be reached', { cause });
      });
      return read(answer);
    };
    return (body) => {
      const parent = ambientTrace();
      if (!tracing || parent.traceparent === undefined) return request(body, parent);
      return withSpan(
        tracing,
        { name: `sparql ${operation}`, kind: 'client', parent },
        () => ({ 'db.system.name': 'sparql', 'db.operation.name': operation, 'server.address': url.hostname }),
        (span) => request(body, span.trace),
        (thrown) => A2AError.from(thrown).kind,
      );
    };
  };

  return { select: sender('query', rowsOf), update: sender('update', () => undefined) };
}

function rowsOf(answer: Buffer): readonly ResultRow[] {
  try {
    const { results } = JSON.parse(answer.toString()) as { results?: { bindings?: unknown } };
    if (Array.isArray(results?.bindings)) return results.bindings as ResultRow[];
  } catch (cause) {
    throw new A2AError('unavailable', 'The SPARQL endpoint returned an invalid response', { cause });
  }
  throw new A2AError('unavailable', 'The SPARQL endpoint returned an invalid response');
}
