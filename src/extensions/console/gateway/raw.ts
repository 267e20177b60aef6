import { consoleHeader } from '../../../core/model/principal.ts';

/** URL at which the gateway is mounted: the console is in its folder `console`. */
const mount = new URL('..', new URL('.', location.href));

/** Returns the URL of a path below the gateway's mount point, such as `/admin/v1/agents`. */
export const gatewayUrl = (path: string): string => new URL(path.replace(/^\//, './'), mount).href;

/** Headers of the console's calls: without them the gateway ignores the session's cookie. */
export const ownHeaders: Readonly<Record<string, string>> = { [consoleHeader]: '1' };

/** Sends a request with the browser's session, whatever the response is. */
export const send = (path: string, { headers, ...init }: RequestInit = {}): Promise<Response> =>
  fetch(gatewayUrl(path), {
    ...init,
    headers: { ...(headers as Record<string, string>), ...ownHeaders },
    cache: 'no-store',
    redirect: 'error',
  });
