import { mapLinks } from '../../tools/site/markdown.ts';

/** A version's section of CHANGELOG.md. */
export interface Release {
  /** Day of the release, or undefined before it. */
  readonly date?: string;
  /** Text of the section, in Markdown. */
  readonly notes: string;
}

/**
 * Finds the section `## [VERSION] - DATE` of a changelog in the form of keepachangelog.com.
 *
 * @returns undefined without such a section
 */
export function releaseIn(changelog: string, version: string): Release | undefined {
  const sections = changelog.split(/^## /m).slice(1);
  const section = sections.find((text) => text.startsWith(`[${version}]`));
  if (section === undefined) return undefined;
  const [heading = '', ...lines] = section.split('\n');
  const [, date] = / - (\d{4}-\d\d-\d\d)$/.exec(heading) ?? [];
  const notes = lines
    .join('\n')
    .replace(/^\[[^\]]+\]: .*$/gm, '')
    .trim();
  return { ...(date !== undefined && { date }), notes };
}

/** The notes with links that lead into the repository from anywhere: release pages of the code host have no files beside them. */
export const notesElsewhere = (notes: string, files: string): string =>
  mapLinks(notes, (target) => {
    if (/^\w+:/.test(target)) return target;
    return `${files}/${target.startsWith('#') ? 'CHANGELOG.md' : ''}${target}`;
  });

/** Items of the list that a version's section begins with: what most people want to know. */
function summaryOf({ notes }: Release): readonly string[] {
  const [beginning = ''] = notes.split(/^### /m);
  return beginning.split('\n').filter((line) => line.startsWith('- '));
}

const longestSummary = 10;

/**
 * Returns the reasons against releasing a version: the changelog, the lock file and the tag must name the version of
 * package.json.
 *
 * @param tag undefined for a dry run, which needs neither a tag nor a date
 */
export function versionErrors(version: string, lockVersion: unknown, changelog: string, tag?: string): string[] {
  const release = releaseIn(changelog, version);
  const errors: string[] = [];
  if (lockVersion !== version) {
    errors.push(`package-lock.json has version ${lockVersion}, package.json ${version}; run npm install`);
  }
  if (release === undefined) errors.push(`CHANGELOG.md has no section "## [${version}]"`);
  else if (release.notes === '') errors.push(`CHANGELOG.md says nothing about ${version}`);
  if (tag === undefined) return errors;
  if (tag !== `v${version}`) errors.push(`the tag is ${tag}, but package.json has version ${version}`);
  if (release !== undefined && release.date === undefined) {
    errors.push(`CHANGELOG.md has no date for ${version}: "## [${version}] - YYYY-MM-DD"`);
  }
  const items = release === undefined ? 1 : summaryOf(release).length;
  if (items === 0 || items > longestSummary) {
    errors.push(
      `CHANGELOG.md begins ${version} with ${items} items; it needs 1 to ${longestSummary}, before the details`,
    );
  }
  return errors;
}
