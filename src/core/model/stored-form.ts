import { A2AError } from './errors.ts';

/**
 * Parses a JSON object of the store. What is stored is a format: an object has the number of its form under `form`, and
 * objects without one have form 1. A reader knows all forms that were ever written, and refuses those of newer programs.
 *
 * @param what the stored thing, as operators know it
 * @param newest the newest form that this program reads, which is the one that it writes
 */
export function readStored<T extends object>(what: string, text: string, newest = 1): T & { readonly form?: number } {
  const value = JSON.parse(text) as T & { readonly form?: number };
  const { form = 1 } = value;
  if (form <= newest) return value;
  const problem = `${what} is stored in form ${form}, which a newer version of the gateway wrote`;
  throw new A2AError('unavailable', `${problem}; this one reads up to form ${newest}: upgrade it`);
}
