/** The result of one case of a suite. */
export interface CaseResult {
  readonly outcome: 'passed' | 'failed' | 'skipped';
  /** The suite's words where it did not pass. */
  readonly message: string;
}

/**
 * Reads a report in JUnit's XML, which pytest, h2spec and schemathesis write. A case whose failure was expected (`xfail`) is a
 * failure: the kit asks for something that is not met.
 *
 * @param nameOf the name of a case, by the attributes of its element
 */
export function readJUnit(
  xml: string,
  nameOf: (attribute: (name: string) => string) => string,
): ReadonlyMap<string, CaseResult> {
  const cases = new Map<string, CaseResult>();
  for (const [, attributes = '', body = ''] of xml.matchAll(/<testcase\b([^>]*?)(?:\/>|>([\s\S]*?)<\/testcase>)/g)) {
    const attribute = (name: string): string => attributeOf(attributes, name);
    const name = nameOf(attribute);
    const result = resultOf(body);
    // pytest reports a case a second time where its clean-up fails.
    if (cases.get(name)?.outcome !== 'failed') cases.set(name, result);
  }
  return cases;
}

/** The result of a case with the words of all its elements: schemathesis has one for each check that failed. */
function resultOf(body: string): CaseResult {
  const elements = [...body.matchAll(/<(failure|error|skipped)\b([^>]*?)(?:\/>|>([\s\S]*?)<\/\1>)/g)];
  const parts = elements.map(([, element, attributes = '', text = '']) => ({
    isSkip: element === 'skipped' && attributeOf(attributes, 'type') !== 'pytest.xfail',
    message: (attributeOf(attributes, 'message') || unescaped(text)).trim(),
  }));
  if (parts.length === 0) return { outcome: 'passed', message: '' };
  const outcome = parts.every(({ isSkip }) => isSkip) ? 'skipped' : 'failed';
  return { outcome, message: parts.map(({ message }) => message).join('\n') };
}

const attributeOf = (attributes: string, name: string): string =>
  unescaped(new RegExp(`(?:^|\\s)${name}="([^"]*)"`).exec(attributes)?.[1] ?? '');

const entities: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', apos: "'", amp: '&' };

const unescaped = (text: string): string =>
  text
    .replace(/<!\[CDATA\[([\s\S]*?)\]\]>/g, '$1')
    .replace(/&(?:#(\d+)|#x([\da-f]+)|(\w+));/gi, (all, decimal, hex, name) => {
      if (name !== undefined) return entities[name] ?? all;
      return String.fromCodePoint(decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal));
    });
