/** IRIs and datatypes that represent ids and languages. */

export { rdf } from '../model/terms.ts';

export const sh = 'http://www.w3.org/ns/shacl#';

/** Prefix of the gateway's own IRIs. */
export const ownNames = 'urn:a2a-gateway:';
/** Prefix of the IRIs for ids that are not IRIs. The percent-encoded id follows. */
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
 * Namespace of the datatypes for language-tagged strings (the i18n namespace, JSON-LD 1.1 section 4.2.4.1). Statements
 * have no other field for a language.
 */
const languages = 'https://www.w3.org/ns/i18n#';

export const languageType = (tag: string): string => languages + tag.toLowerCase();

/** Returns the language of a datatype that was created by `languageType`. */
export function languageOf(datatype: string): string | undefined {
  const tag = datatype.startsWith(languages) ? datatype.slice(languages.length) : '';
  return /^[a-z]{1,8}(-[a-z0-9]{1,8})*$/i.test(tag) ? tag : undefined;
}
