/** A place in the console, as named by its address: `#/tasks/KEY?state=…`. */
export interface Route {
  /** Id of the page; '' at the start. */
  readonly page: string;
  /** Segments after the page, decoded. */
  readonly path: readonly string[];
  readonly query: URLSearchParams;
}

/** Reads an address. Parts that cannot be decoded stay unchanged. */
export function parseRoute(hash: string): Route {
  const [path = '', query = ''] = hash.replace(/^#?\/?/, '').split(/\?(.*)/s, 2);
  const [page = '', ...rest] = path.split('/').map(decoded);
  return { page, path: rest.filter((piece) => piece !== ''), query: new URLSearchParams(query) };
}

/**
 * Writes an address, such as `#/tasks/KEY?state=…`.
 *
 * @param query absent and empty values are left out
 */
export function hrefOf(
  page: string,
  path: readonly string[] = [],
  query: URLSearchParams | Readonly<Record<string, string | undefined>> = {},
): string {
  const pieces = [page, ...path].map(encodeURIComponent).join('/');
  const entries = query instanceof URLSearchParams ? [...query] : Object.entries(query);
  const params = new URLSearchParams(entries.filter((entry): entry is [string, string] => Boolean(entry[1])));
  return params.size === 0 ? `#/${pieces}` : `#/${pieces}?${params}`;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
