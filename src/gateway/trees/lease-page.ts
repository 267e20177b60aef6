import { leasePath, pathHeader } from '../../core/model/call.ts';
import { isPath, type PageHandler } from '../../transports/http/headers.ts';
import type { GatewayTrees } from './trees.ts';

/**
 * Answers gateways that ask for what is left of the part of a budget that they gave with a call. The signed path of that call is
 * the credential; it can be used for nothing else.
 */
export const leasePage =
  (trees: () => Pick<GatewayTrees, 'giveBack'> | undefined): PageHandler =>
  (req, res) => {
    const known = isPath(req, leasePath) && req.method === 'POST' ? trees() : undefined;
    if (!known) return false;
    req.resume();
    const path = req.headers[pathHeader];
    const left = typeof path === 'string' ? known.giveBack(path) : Promise.resolve(undefined);
    left.then(
      (rest) => {
        const body = JSON.stringify(rest ?? {});
        res.writeHead(rest ? 200 : 404, {
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(body),
        });
        res.end(body);
      },
      () => res.writeHead(503, { 'content-length': 0 }).end(),
    );
    return true;
  };
