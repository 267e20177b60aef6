import type { IncomingMessage, ServerResponse } from 'node:http';
import type { CallerFacts } from '../../core/limits/admission.ts';
import { A2AError } from '../../core/model/errors.ts';
import { errorHeaders, send } from '../http/headers.ts';
import { RequestFacts } from '../http/request-facts.ts';

/** Where the metrics are. */
export const metricsPath = '/metrics';

/** A whole page. */
export interface MetricsText {
  readonly mediaType: string;
  readonly text: string;
}

export interface MetricsPageOptions {
  /** Rejects with A2AError `unauthenticated` or `permissionDenied` for whom they are not. */
  readonly admit: (caller: CallerFacts) => Promise<void>;
  /** @param accept what the reader accepts */
  readonly read: (accept: string | undefined) => Promise<MetricsText>;
}

/**
 * Serves metrics to whom they are for. The function that it returns answers a request for them; it is false for any
 * other, untouched. No other origin's page may read them.
 */
export function createMetricsPage(options: MetricsPageOptions): (req: IncomingMessage, res: ServerResponse) => boolean {
  return (req, res) => {
    const { url = '' } = req;
    if (!url.startsWith(metricsPath) || url.split('?', 1)[0] !== metricsPath) return false;
    serve(options, req, res).catch((thrown: unknown) => fail(res, A2AError.from(thrown)));
    return true;
  };
}

async function serve({ admit, read }: MetricsPageOptions, req: IncomingMessage, res: ServerResponse): Promise<void> {
  const { method } = req;
  if (method !== 'GET' && method !== 'HEAD') {
    res.setHeader('Allow', 'GET, HEAD');
    throw new A2AError('verbNotAllowed');
  }
  await admit(new RequestFacts(req));
  const { mediaType, text } = await read(req.headers.accept);
  send(res, 200, ['Cache-Control', 'no-store', 'Vary', 'Accept'], mediaType, text);
}

function fail(res: ServerResponse, error: A2AError): void {
  const { http, grpc } = error.row;
  const body = { error: { code: http, status: grpc, message: error.message, details: error.details() } };
  const headers = [...errorHeaders(error), 'Cache-Control', 'no-store'];
  send(res, http, headers, 'application/json', JSON.stringify(body));
}
