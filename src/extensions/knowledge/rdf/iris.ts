/** IRIs and datatypes that stand for ids and languages. */

export { rdf } from '../model/terms.ts';

export const sh = 'http://www.w3.org/ns/shacl#';

/** Prefix of the gateway's own IRIs. */
export const ownNames = 'urn:a2a-gateway:';
/** Prefix of IRIs for ids that are no IRIs; the percent-encoded id follows. */
export const ownIds: string = `${ownNames}id:`;

export function idFrom(iri: string): string {
  if (!iri.startsWith(ownIds)) return iri;
  try {
    return decodeURIComponent(iri.slice(ownIds.length));
  } catch {
    return iri;
  }
}

/**
 * Namespace of datatypes for language-tagged strings, since statements have no other place for the language (JSON-LD
 * 1.1, section 4.2.4.1: the i18n namespace).
 */
const languages = 'https://www.w3.org/ns/i18n#';

export const languageType = (tag: string): string => languages + tag.toLowerCase();

/** The language of a datatype made by `languageType`. */
export function languageOf(datatype: string): string | undefined {
  const tag = datatype.startsWith(languages) ? datatype.slice(languages.length) : '';
  return /^[a-z]{1,8}(-[a-z0-9]{1,8})*$/i.test(tag) ? tag : undefined;
}
