/** Sources of a build. */
export interface BuildFacts {
  /** Of package.json, without `git+`. */
  readonly repository: string;
  /** Git's name of the commit. */
  readonly commit: string;
  /** Whether files differed from the commit. */
  readonly isChanged: boolean;
  readonly tag?: string;
  /** SHA-256 of package-lock.json, in hexadecimal digits. */
  readonly lock: string;
  /** Versions of the programs that built it. */
  readonly versions: Readonly<Record<string, string>>;
}

/** A file that was built, and its digests in hexadecimal digits. */
export interface Subject {
  readonly name: string;
  readonly digest: Readonly<Record<string, string>>;
}

/**
 * An in-toto statement with SLSA provenance for a build on this machine. It is not signed: a signature needs an identity
 * that others trust, which the release workflow has and this machine does not.
 *
 * @see https://slsa.dev/spec/v1.0/provenance
 */
export function provenanceOf(subjects: readonly Subject[], facts: BuildFacts) {
  const page = `${facts.repository.replace(/\.git$/, '')}/blob/${facts.tag ?? 'main'}/RELEASING.md`;
  return {
    _type: 'https://in-toto.io/Statement/v1',
    subject: subjects,
    predicateType: 'https://slsa.dev/provenance/v1',
    predicate: {
      buildDefinition: {
        buildType: `${page}#the-dry-run`,
        externalParameters: { script: 'release:check', ...(facts.tag !== undefined && { tag: facts.tag }) },
        internalParameters: { filesDifferFromCommit: facts.isChanged },
        resolvedDependencies: [
          { uri: `git+${facts.repository}`, digest: { gitCommit: facts.commit } },
          { uri: 'package-lock.json', digest: { sha256: facts.lock } },
        ],
      },
      runDetails: {
        builder: { id: `${page}#a-build-on-your-own-machine`, version: facts.versions },
      },
    },
  };
}
