/** Files that name addresses of the project. */
export const filesWithAddresses: readonly string[] = [
  'CHANGELOG.md',
  'Dockerfile',
  'RELEASING.md',
  'SECURITY.md',
  '.github/ISSUE_TEMPLATE/config.yml',
];

/** Marks a line with an address that leads nowhere so far. */
export const addressMark = '(not registered yet)';

/** Lines that are marked, as `FILE:LINE`: a release needs addresses that exist. */
export const markedAddresses = (read: (path: string) => string): string[] =>
  filesWithAddresses.flatMap((path) =>
    read(path)
      .split('\n')
      .flatMap((line, index) => (line.includes(addressMark) ? [`${path}:${index + 1}`] : [])),
  );
