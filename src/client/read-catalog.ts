import { A2AError } from '../core/model/errors.ts';
import { isObject, type JsonObject } from '../core/model/json.ts';
import { shownUrl } from '../core/model/shown-url.ts';
import { getDocument, parseDocument, type ReadCardOptions, refusal } from './read-card.ts';

/** An agent that a catalog lists. The entry is not verified; the agent's card is authoritative. */
interface CatalogAgent {
  readonly identifier: string;
  /** URL of the agent's card; for an inline card, the agent's address in it. */
  readonly url: URL;
  /** The name in an inline card. */
  readonly name?: string;
}

/** An entry of a catalog, or a nested catalog, that cannot be used, and the reason. */
interface SkippedEntry {
  readonly identifier: string;
  readonly reason: string;
}

export interface FoundCatalog {
  readonly agents: readonly CatalogAgent[];
  readonly skipped: readonly SkippedEntry[];
}

type ReadCatalogOptions = Pick<ReadCardOptions, 'http' | 'headers' | 'signal' | 'timeout'>;

/**
 * Limits: bytes of a document, number of documents, entries of all documents together, and levels of nested catalogs.
 */
const most = { bytes: 4 << 20, documents: 20, entries: 1_000, depth: 4 } as const;
/** Limits in characters. */
const longest = { identifier: 512, url: 2_048 } as const;

const wellKnown = '/.well-known/ai-catalog.json';
const cardTypes: ReadonlySet<string> = new Set(['application/a2a-agent-card+json', 'application/agent-card+json']);
const catalogType = 'application/ai-catalog+json';

/**
 * Reads an AI Catalog and the catalogs nested in it, and returns the agents with A2A cards. Entries of other types are
 * left out, as are all but the newest version of an agent. Invalid entries and nested catalogs that cannot be read are
 * listed in `skipped`.
 *
 * @param target URL of the catalog, or of a site that has one at the well-known path
 * @throws A2AError of a network kind; `invalidAgentResponse` for a document that is not a catalog, or too large
 */
export async function readCatalog(target: URL, options: ReadCatalogOptions): Promise<FoundCatalog> {
  const first = target.pathname === '/' ? new URL(wellKnown, target) : target;
  return new CatalogReader(first, options).read();
}

/** Reads one catalog, and the catalogs that it names. */
class CatalogReader {
  readonly #first: URL;
  readonly #options: ReadCatalogOptions;
  /** Time by which all documents must have been read, on the clock of `performance.now()`. */
  readonly #end: number;
  /** URLs of the catalogs that have been requested. */
  readonly #visited: Set<string>;
  /** The newest version of each agent, by its identifier. */
  readonly #found = new Map<string, { agent: CatalogAgent; version: string }>();
  readonly #skipped: SkippedEntry[] = [];
  /** Number of entries read from all catalogs. */
  #entries = 0;

  constructor(first: URL, options: ReadCatalogOptions) {
    this.#first = first;
    this.#options = options;
    this.#end = performance.now() + options.timeout;
    this.#visited = new Set([first.href]);
  }

  async read(): Promise<FoundCatalog> {
    await this.#readInto(await fetchCatalog(this.#first, this.#options, this.#end), this.#first, 1);
    return { agents: [...this.#found.values()].map(({ agent }) => agent), skipped: this.#skipped };
  }

  /** @param base the base of relative URLs */
  async #readInto(document: unknown, base: URL, depth: number): Promise<void> {
    for (const entry of entriesOf(document, shownUrl(base))) {
      this.#entries += 1;
      if (this.#entries > most.entries) {
        const message = `${shownUrl(this.#first)} lists more than ${most.entries} entries, those of its catalogs included`;
        throw new A2AError('invalidAgentResponse', message);
      }
      const identifier = identifierOf(entry, this.#entries);
      try {
        if (!isObject(entry)) throw invalid('it must be an object');
        if (typeOf(entry) === catalogType) await this.#readNested(entry, base, depth + 1);
        else if (cardTypes.has(typeOf(entry))) this.#take(entry, identifier, base);
      } catch (thrown) {
        const error = A2AError.from(thrown);
        if (error.kind === 'canceled' || this.#entries > most.entries) throw error;
        this.#skipped.push({ identifier, reason: error.message });
      }
    }
  }

  async #readNested(entry: JsonObject, base: URL, depth: number): Promise<void> {
    if (depth > most.depth) throw invalid(`catalogs are nested more than ${most.depth} levels deep`);
    if (contentOf(entry) === 'data') return this.#readInto(entry.data, base, depth);
    const url = urlOf(entry.url, base);
    if (this.#visited.has(url.href)) throw invalid(`the catalog ${shownUrl(url)} is named more than once`);
    if (this.#visited.size === most.documents) throw invalid(`more than ${most.documents} catalogs are named`);
    this.#visited.add(url.href);
    await this.#readInto(await fetchCatalog(url, this.#options, this.#end), url, depth);
  }

  #take(entry: JsonObject, identifier: string, base: URL): void {
    if (entry.identifier !== identifier)
      throw invalid(`identifier must be a text of 1 to ${longest.identifier} characters`);
    const version = typeof entry.version === 'string' ? entry.version : '';
    const known = this.#found.get(identifier);
    if (known && (version === '' || known.version === '' || version === known.version))
      throw invalid(
        version === '' ? 'it is listed more than once' : `its version ${version.slice(0, 40)} is listed more than once`,
      );
    const agent = { identifier, ...addressIn(entry, base) };
    if (!known || isNewer(version, known.version)) this.#found.set(identifier, { agent, version });
  }
}

async function fetchCatalog(url: URL, options: ReadCatalogOptions, end: number): Promise<unknown> {
  const answer = await getDocument(url, 'catalog', { accept: `${catalogType}, application/json` }, options, end);
  if (answer.status !== 200) {
    answer.discard();
    throw refusal(shownUrl(url), 'catalog', answer);
  }
  return parseDocument(await answer.read(most.bytes));
}

/** The entries of a catalog of version 0 or 1 of the specification. */
function entriesOf(document: unknown, where: string): readonly unknown[] {
  const { specVersion, entries } = isObject(document) ? document : {};
  if (typeof specVersion !== 'string' || !Array.isArray(entries))
    throw invalid(`${where} is not an AI Catalog: it needs specVersion and a list of entries`);
  if (!/^[01]\.\d+$/.test(specVersion))
    throw invalid(`${where} is an AI Catalog of version ${specVersion.slice(0, 20)}, which this gateway cannot read`);
  return entries;
}

function identifierOf(entry: unknown, number: number): string {
  const { identifier } = isObject(entry) ? entry : {};
  return typeof identifier === 'string' && identifier !== ''
    ? identifier.slice(0, longest.identifier)
    : `entry ${number}`;
}

/**
 * Returns the media type of an entry, in lower case and without parameters. Drafts of the specification call it
 * `mediaType`.
 */
function typeOf(entry: JsonObject): string {
  const type = entry.type ?? entry.mediaType;
  if (typeof type !== 'string') throw invalid('type must be a text');
  return (type.split(';', 1)[0] ?? '').trim().toLowerCase();
}

function contentOf(entry: JsonObject): 'url' | 'data' {
  if ((entry.url === undefined) === (entry.data === undefined)) throw invalid('it must have either url or data');
  return entry.url === undefined ? 'data' : 'url';
}

function addressIn(entry: JsonObject, base: URL): Pick<CatalogAgent, 'url' | 'name'> {
  if (contentOf(entry) === 'url') return { url: urlOf(entry.url, base) };
  const { name, url, supportedInterfaces } = isObject(entry.data) ? entry.data : {};
  const listed: unknown = Array.isArray(supportedInterfaces) ? supportedInterfaces : [];
  const urls = [url, ...(listed as unknown[]).map((one) => (isObject(one) ? one.url : undefined))];
  const address = urls.find((one) => typeof one === 'string' && /^https?:/i.test(one));
  if (typeof name !== 'string' || address === undefined)
    throw invalid('its card must have a name, and a URL of http or https');
  return { url: urlOf(address, base), name };
}

function urlOf(value: unknown, base: URL): URL {
  const url = typeof value === 'string' && value.length <= longest.url ? URL.parse(value, base.href) : null;
  if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:'))
    throw invalid('url must be an http or https URL');
  if (url.username !== '' || url.password !== '') throw invalid('url must not contain a user name or password');
  return url;
}

/** Compares versions by the numbers in them. A pre-release is older than its release. */
function isNewer(version: string, known: string): boolean {
  const compare = (one = '', other = ''): number => one.localeCompare(other, 'en', { numeric: true });
  const [[core, ...pre], [knownCore, ...knownPre]] = [version.split('-'), known.split('-')];
  const byCore = compare(core, knownCore);
  if (byCore !== 0 || pre.length === 0 || knownPre.length === 0)
    return byCore > 0 || (byCore === 0 && pre.length === 0);
  return compare(pre.join('-'), knownPre.join('-')) > 0;
}

const invalid = (message: string): A2AError => new A2AError('invalidAgentResponse', message);
