import { signal } from '@preact/signals';
import { hrefOf, parseRoute, type Route } from './route.ts';
import { signInByAddress } from './session.ts';

export { hrefOf } from './route.ts';

/** The current place. Links are plain `<a href="#/tasks/KEY">`; `hrefOf` writes them. */
export const route = signal<Route>(parseRoute(location.hash));

addEventListener('hashchange', () => {
  void signInByAddress();
  route.value = parseRoute(location.hash);
});

/** Goes to an address, such as `#/tasks`. */
export function navigate(href: string, { replace = false }: { readonly replace?: boolean } = {}): void {
  if (!replace) {
    location.hash = href;
    return;
  }
  history.replaceState(null, '', href);
  route.value = parseRoute(href);
}

/**
 * Changes parameters of the address; undefined and '' remove one.
 *
 * @param patch new values by name; a list repeats the parameter
 */
export function setQuery(
  patch: Readonly<Record<string, string | readonly string[] | undefined>>,
  options: { readonly replace?: boolean } = {},
): void {
  const { page, path, query } = route.peek();
  const next = new URLSearchParams(query);
  for (const [name, value] of Object.entries(patch)) {
    next.delete(name);
    for (const one of typeof value === 'string' ? [value] : (value ?? [])) if (one !== '') next.append(name, one);
  }
  navigate(hrefOf(page, path, next), options);
}
