import { createServer } from 'node:http';
import oxigraph from 'oxigraph';
import { bodyOf, listenOn } from './peer.ts';

/** A request as the endpoint got it. */
export interface SparqlRequest {
  readonly path: string;
  readonly body: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

/** A graph database that speaks the SPARQL 1.1 Protocol. */
export interface SparqlServer {
  readonly query: string;
  readonly update: string;
  readonly store: oxigraph.Store;
  readonly requests: readonly SparqlRequest[];
  /** Answers instead of the database, where it gives a status. */
  answer: (request: SparqlRequest) => number | 'hang' | 'nonsense' | undefined;
  close(): Promise<void>;
}

/** Starts a database on this machine, empty and in memory, behind an HTTP server. */
export async function startSparqlServer(): Promise<SparqlServer> {
  const store = new oxigraph.Store();
  const requests: SparqlRequest[] = [];
  const listener = createServer(async (request, response) => {
    const body = await bodyOf(request);
    const got = { path: request.url ?? '', body, headers: request.headers };
    requests.push(got);
    const instead = server.answer(got);
    if (instead === 'hang') return;
    if (instead === 'nonsense') return void response.end('<html>');
    if (instead !== undefined) return void response.writeHead(instead).end('no');
    try {
      if (got.path === '/update') {
        store.update(body);
        response.writeHead(204).end();
      } else {
        response.setHeader('content-type', 'application/sparql-results+json');
        response.end(store.query(body, { results_format: 'json' }));
      }
    } catch (error) {
      response.writeHead(400).end(String(error));
    }
  });
  const { origin, close } = await listenOn(listener);
  const server: SparqlServer = {
    query: `${origin}/query`,
    update: `${origin}/update`,
    store,
    requests,
    answer: () => undefined,
    close,
  };
  return server;
}
