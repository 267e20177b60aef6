import type { IncomingMessage, ServerResponse } from 'node:http';
import type { CallerFacts } from '../../core/limits/admission.ts';
import { A2AError } from '../../core/model/errors.ts';
import { isPath, type PageHandler, send, sendError } from '../http/headers.ts';
import { RequestFacts } from '../http/request-facts.ts';

export interface MetricsPageOptions {
  /** Rejects with A2AError `unauthenticated` or `permissionDenied` for callers who may not read metrics. */
  readonly admit: (caller: CallerFacts) => Promise<void>;
  /** @param accept the request's `Accept` header */
  readonly read: (accept: string | undefined) => Promise<{ readonly mediaType: string; readonly text: string }>;
}

/** Serves `/metrics` to authorized callers. Pages of other origins cannot read them. */
export function createMetricsPage({ admit, read }: MetricsPageOptions): PageHandler {
  async function serve(req: IncomingMessage, res: ServerResponse): Promise<void> {
    try {
      const { method } = req;
      if (method !== 'GET' && method !== 'HEAD') {
        res.setHeader('Allow', 'GET, HEAD');
        throw new A2AError('verbNotAllowed');
      }
      await admit(new RequestFacts(req));
      const { mediaType, text } = await read(req.headers.accept);
      send(res, 200, ['Cache-Control', 'no-store', 'Vary', 'Accept'], mediaType, text);
    } catch (thrown) {
      sendError(res, A2AError.from(thrown), ['Cache-Control', 'no-store']);
    }
  }
  return (req, res) => {
    if (!isPath(req, '/metrics')) return false;
    void serve(req, res);
    return true;
  };
}
