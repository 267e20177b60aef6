import { A2AError } from '../../core/model/errors.ts';
import type { Logger } from '../../core/ports/logger.ts';
import type { TraceContext } from '../../core/telemetry/trace-context.ts';
import { ambientTrace, type Tracing, withSpan } from '../../core/telemetry/tracing.ts';
import type { HttpClient } from '../../net/http-client.ts';
import type { HttpAnswer } from '../../net/http-exchange.ts';
import type { OutboundAuth } from '../../net/outbound-auth.ts';
import type { BoundTerm } from './terms.ts';

/** A row of results: its bound variables. */
export type ResultRow = Readonly<Record<string, BoundTerm | undefined>>;

export interface EndpointOptions {
  /** URLs for queries and updates, http or https. */
  readonly query: string;
  readonly update: string;
  readonly http: HttpClient;
  readonly auth: OutboundAuth;
  /** Milliseconds per request, with its response. */
  readonly timeout: number;
  /** Maximum bytes of a response. */
  readonly maxAnswer: number;
  readonly logger?: Pick<Logger, 'warn'>;
  /** Creates spans for requests within a trace. Absent: none. */
  readonly tracing?: Tracing | undefined;
}

/** A graph database over the SPARQL 1.1 Protocol. Everything rejects with A2AError `unavailable` if it is. */
export interface Endpoint {
  /** Rows of a SELECT. */
  select(query: string): Promise<readonly ResultRow[]>;
  /** Executes an update. */
  update(update: string): Promise<void>;
}

/** Attempts of a request that was rejected as unauthorized. */
const attempts = 2;
/** Characters of an error response in the log. */
const saidLength = 500;

/** Creates an endpoint; sends nothing yet. */
export function createEndpoint(options: EndpointOptions): Endpoint {
  const { http, auth, timeout, maxAnswer, logger, tracing } = options;
  const [queryUrl, updateUrl] = [new URL(options.query), new URL(options.update)];

  const unavailable = (cause: unknown): A2AError =>
    new A2AError('unavailable', 'The knowledge graph cannot be reached', { cause });

  const send = async (url: URL, type: string, body: string, trace: TraceContext): Promise<HttpAnswer> => {
    const signal = AbortSignal.timeout(timeout);
    for (let attempt = 1; ; attempt++) {
      const shown = await auth.headers(undefined, url, signal);
      const headers = { accept: 'application/sparql-results+json', 'content-type': type, ...trace, ...shown };
      const answer = await http.request({ method: 'POST', url, headers, body, signal, timeout });
      if (answer.status < 300) return answer;
      const said = await answer.read(maxAnswer).then(
        (bytes) => auth.hide(bytes.toString('utf8', 0, saidLength), undefined),
        () => '',
      );
      if (answer.status === 401 && attempt < attempts && auth.rejected(shown)) continue;
      logger?.warn(
        { url: url.origin + url.pathname, status: answer.status, said },
        'a SPARQL endpoint refused a request',
      );
      throw new Error(`the SPARQL endpoint answered with HTTP ${answer.status}`);
    }
  };

  /** Runs a request in a span, if it belongs to a trace. */
  const asked = <T>(operation: string, url: URL, run: (trace: TraceContext) => Promise<T>): Promise<T> => {
    const parent = ambientTrace();
    if (!tracing || parent.traceparent === undefined) return run(parent);
    return withSpan(
      tracing,
      { name: `sparql ${operation}`, kind: 'client', parent },
      () => ({ 'db.system.name': 'sparql', 'db.operation.name': operation, 'server.address': url.hostname }),
      (span) => run(span.trace),
      (thrown) => A2AError.from(thrown).kind,
    );
  };

  return {
    async select(query) {
      return asked('query', queryUrl, async (trace) => {
        const answer = await send(queryUrl, 'application/sparql-query; charset=utf-8', query, trace)
          .then((each) => each.read(maxAnswer))
          .catch((thrown: unknown) => {
            throw unavailable(thrown);
          });
        return rowsOf(answer);
      });
    },
    async update(update) {
      await asked('update', updateUrl, async (trace) => {
        try {
          const answer = await send(updateUrl, 'application/sparql-update; charset=utf-8', update, trace);
          await answer.read(maxAnswer);
        } catch (thrown) {
          throw unavailable(thrown);
        }
      });
    },
  };
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
