import { A2AError } from '../core/model/errors.ts';

/** A target as people write it: `http://` may be left out before a loopback host, `https://` before others. */
export function parseTarget(target: string): URL {
  const local = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:|\/|$)/i.test(target);
  const url = URL.parse(/^[a-z][a-z0-9+.-]*:\/\//i.test(target) ? target : `${local ? 'http' : 'https'}://${target}`);
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    throw A2AError.invalidParams(
      `"${target}" is not the URL of an agent; expected something like http://localhost:8080`,
    );
  }
  url.hash = '';
  return url;
}
