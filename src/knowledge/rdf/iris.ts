/** What statements and RDF call each other's things. */

export { rdf } from '../../core/model/knowledge-terms.ts';

/** What IRIs begin with that are the gateway's own. */
export const ownNames = 'urn:a2a-gateway:';
/** What those of them begin with that stand for ids which are no IRIs: percent-encoded behind this. */
export const ownIds: string = `${ownNames}id:`;

/** The id that an IRI is, or stands for. */
export function idFrom(iri: string): string {
  if (!iri.startsWith(ownIds)) return iri;
  try {
    return decodeURIComponent(iri.slice(ownIds.length));
  } catch {
    return iri;
  }
}

/**
 * Datatypes of texts in a language: statements have no place for it but the type
 * (JSON-LD 1.1, section 4.2.4.1: the i18n namespace).
 */
const languages = 'https://www.w3.org/ns/i18n#';

/** A literal's datatype where it has a language. */
export const languageType = (tag: string): string => languages + tag.toLowerCase();

/** The language that a datatype of `languageType` stands for. */
export function languageOf(datatype: string): string | undefined {
  const tag = datatype.startsWith(languages) ? datatype.slice(languages.length) : '';
  return /^[a-z]{1,8}(-[a-z0-9]{1,8})*$/i.test(tag) ? tag : undefined;
}
