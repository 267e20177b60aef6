import { consoleHeader } from '../../../core/model/principal.ts';

/** Where the gateway is mounted: the console is in its folder `console`. */
const mount = new URL('..', new URL('.', location.href));

/** The URL of a path below the gateway's mount point, such as `/admin/v1/agents`. */
export const gatewayUrl = (path: string): string => new URL(path.replace(/^\//, './'), mount).href;

/** The headers of the console's calls: the cookie of its session counts with them alone. */
export const ownHeaders: Readonly<Record<string, string>> = { [consoleHeader]: '1' };

/** A request with the browser's session, whatever the answer is. */
export const send = (path: string, { headers, ...init }: RequestInit = {}): Promise<Response> =>
  fetch(gatewayUrl(path), {
    ...init,
    headers: { ...(headers as Record<string, string>), ...ownHeaders },
    cache: 'no-store',
    redirect: 'error',
  });
