import { pathHeader } from '../../core/model/call.ts';
import { isPath, type PageHandler } from '../../transports/http/headers.ts';

/** Path of the page that lists a gateway's tasks of a tree. */
export const treePath = '/.well-known/a2a-gateway-tree';

/**
 * Page for other gateways. The credential of a question is its signed text, which has no other use.
 *
 * @param answer resolves with undefined if the text gives no right to an answer
 */
export const gatewayPage =
  (path: string, answer: (signed: string) => Promise<object | undefined>): PageHandler =>
  (req, res) => {
    if (req.method !== 'POST' || !isPath(req, path)) return false;
    req.resume();
    const { [pathHeader]: signed } = req.headers;
    (typeof signed === 'string' ? answer(signed) : Promise.resolve(undefined)).then(
      (answered) => {
        const body = JSON.stringify(answered ?? {});
        res.writeHead(answered ? 200 : 404, {
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(body),
        });
        res.end(body);
      },
      () => res.writeHead(503, { 'content-length': 0 }).end(),
    );
    return true;
  };
