import { parameterHoldsCredential } from './credential-names.ts';

const nameOf = (parameter: string): string => decoded(parameter.split('=', 1)[0] ?? '');

function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
}

/**
 * Joins two queries without question marks. Parameters of the second query that the first one also contains are left
 * out.
 */
export function joinQueries(first: string, second: string): string {
  if (first === '' || second === '') return first || second;
  const names = new Set(first.split('&').map(nameOf));
  const others = second.split('&').filter((parameter) => !names.has(nameOf(parameter)));
  return [first, ...others].join('&');
}

/**
 * Adds the query of the agent's configured URL, such as `?alt=sse` or a key, to the URL of an interface, so that every
 * call carries it. A URL at another origin is returned unchanged.
 */
export function withQueryOf(target: URL, url: URL): URL {
  if (target.search === '' || url.origin !== target.origin) return url;
  const joined = new URL(url);
  joined.search = joinQueries(url.search.slice(1), target.search.slice(1));
  return joined;
}

/** Masks values in the query of a path that may be credentials, and adds them to `secrets`. */
export function withoutSecrets(path: string, secrets: Set<string>): string {
  const at = path.indexOf('?');
  if (at < 0) return path;
  const shown = path
    .slice(at + 1)
    .split('&')
    .map((parameter) => {
      const equals = parameter.indexOf('=');
      if (equals < 0 || !parameterHoldsCredential(nameOf(parameter))) return parameter;
      const value = parameter.slice(equals + 1);
      if (value !== '') secrets.add(value).add(decoded(value));
      return `${parameter.slice(0, equals)}=[secret]`;
    });
  return `${path.slice(0, at)}?${shown.join('&')}`;
}
