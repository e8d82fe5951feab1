/**
 * A vulnerability of Incus that matters if strangers have servers, or if images of others are used.
 */
interface Vulnerability {
  ids: readonly string[];
  what: string;
  /** The first release without it, in each maintained series, and for all others. */
  fixedIn: Readonly<Record<string, string>> & { others: string };
}

/**
 * Vulnerabilities that were published until the middle of 2026, and the releases with the fixes:
 * according to the commits that name them in the branches stable-6.0, stable-7.0 and main of
 * https://github.com/lxc/incus (a series that is not named has no such commit), and to
 * https://github.com/lxc/incus/security/advisories. 6.0.7 and 7.0.2 are the first releases with all
 * of them.
 */
const vulnerabilities: readonly Vulnerability[] = [
  {
    ids: ['CVE-2026-23953', 'CVE-2026-23954'],
    what: 'templates of an image, and settings of an instance, reach files of the host',
    fixedIn: { '6.0': '6.0.6', others: '6.21.0' },
  },
  {
    ids: ['CVE-2026-33542', 'CVE-2026-33897', 'CVE-2026-33945'],
    what: 'what an image server sends is not held to its fingerprint, and templates and credentials of an instance reach files of the host',
    fixedIn: { '6.0': '6.0.7', others: '6.23.0' },
  },
  {
    ids: ['CVE-2026-48749', 'CVE-2026-48750', 'CVE-2026-48751', 'CVE-2026-48752'],
    what: 'a made-up image reaches files of the host, and a restored snapshot passes the limits of a restricted project',
    fixedIn: { '7.0': '7.0.1', others: '7.2.0' },
  },
  {
    ids: ['CVE-2026-63125', 'GHSA-4qxq-p5hm-3q3p'],
    what: 'a backup and templates of an instance reach files of the host',
    fixedIn: { '7.0': '7.0.2', others: '7.3.0' },
  },
];

type Version = readonly [number, number, number];

function readVersion(text: string): Version | undefined {
  const [, major, minor, patch = '0'] = /^(\d+)\.(\d+)(?:\.(\d+))?/.exec(text) ?? [];
  return major === undefined ? undefined : [Number(major), Number(minor), Number(patch)];
}

function isBefore(version: Version, other: Version): boolean {
  const at = version.findIndex((number, index) => number !== other[index]);
  return at >= 0 && (version[at] ?? 0) < (other[at] ?? 0);
}

function isIn(hole: Vulnerability, version: Version): boolean {
  const series = `${version[0]}.${version[1]}`;
  const fixed = readVersion(hole.fixedIn[series] ?? hole.fixedIn.others);
  return fixed !== undefined && isBefore(version, fixed);
}

/** The releases without any of them, the oldest first. */
const safeReleases = [...new Set(vulnerabilities.flatMap(({ fixedIn }) => Object.values(fixedIn)))]
  .filter((release) => effectsOfHoles(release).length === 0)
  .sort();

/**
 * A sentence for each known vulnerability of a release of Incus. The package of a distribution may contain the fix
 * under the older version, which Incus does not report.
 */
export function knownHoles(release: string): string[] {
  return effectsOfHoles(release).map((effect) => `${hasHoles(release)}: ${effect}.`);
}

const hasHoles = (release: string) =>
  `Incus ${release} has known vulnerabilities, unless its package fixes them`;

/** All of them as a list below one heading; undefined if there are none. */
export function listOfHoles(release: string): string | undefined {
  const effects = effectsOfHoles(release);
  if (effects.length === 0) return undefined;
  return [`${hasHoles(release)}:`, ...effects.map((effect) => `- ${effect}`)].join('\n');
}

function effectsOfHoles(release: string): string[] {
  const version = readVersion(release);
  if (!version) return [];
  return vulnerabilities
    .filter((hole) => isIn(hole, version))
    .map(({ ids, what, fixedIn: { others, ...series } }) => {
      const releases = [...Object.values(series), others].join(' and ');
      return `${what} (${ids.join(', ')}; fixed in ${releases})`;
    });
}

/** A warning about all of them in one sentence, with advice; undefined if there are none. */
export function vulnerabilityWarning(release: string): string | undefined {
  if (effectsOfHoles(release).length === 0) return undefined;
  return `${hasHoles(release)}: ${updateWords}`;
}

export const updateWords =
  `update to ${safeReleases.join(' or ')}, or newer. ` +
  'See "Known vulnerabilities of Incus" in docs/operations.md.';
