import { authHeaders } from '../shell/session.ts';

/** Where the gateway is mounted: the console is in its folder `console`. */
const mount = new URL('..', new URL('.', location.href));

/** The URL of a path below the gateway's mount point, such as `/admin/v1/agents`. */
export const gatewayUrl = (path: string): string => new URL(path.replace(/^\//, './'), mount).href;

/** A request with the tab's credential, whatever the answer is. */
export const send = (path: string, { headers, ...init }: RequestInit = {}): Promise<Response> =>
  fetch(gatewayUrl(path), {
    ...init,
    headers: { ...(headers as Record<string, string>), ...authHeaders() },
    ...{ credentials: 'omit', cache: 'no-store', redirect: 'error' },
  });
