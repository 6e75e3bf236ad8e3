/** Patterns that docs/english.md rules out, as data. They cover the worst cases; a reader has to judge the rest. */

export interface TextFile {
  readonly path: string;
  readonly text: string;
}

/** Phrases with no meaning in Kubernetes' vocabulary, each with the replacement that docs/english.md gives. */
const PHRASES: readonly (readonly [pattern: RegExp, instead: string])[] = [
  [/\bunless (said|given)\b/i, 'a default: (default: 30s)'],
  [/\b(is|are|was|were) told\b/i, 'reports, logs, receives'],
  [/\b(as|is|are) wanted\b/i, 'desired, up to date, in sync'],
  [/\banew\b/i, 'again, or re-: reinstall, restart'],
  [/\bputs? aside\b/i, 'quarantine'],
  [/\bin vain\b/i, 'without effect'],
  [/\b(whoever|whosoever|whosever)\b/i, 'name who: the operator, another process'],
  [/\blet(s|ting)? go of\b/i, 'release'],
  [/\blooked (at|for)\b/i, 'inspected, checked, searched'],
  [/\b(mended|set right|put right)\b/i, 'repaired, fixed'],
  [/\bstands? in (?!for\b)/i, 'is in, is documented in'],
  [/\bcannot be had\b/i, 'is unavailable, could not be downloaded'],
  [/\b(says|tells) (so|of)\b/i, 'reports'],
];

/** A doc comment starts with a verb or a noun. */
const HEADLESS = /\/\*\*\s+(?:\*\s+)?(What|Whether|Who|Whose|Of|How)\s/g;

/** This page quotes the phrases, and so do the checks. */
const QUOTES = /^(docs\/english\.md|scripts\/english(\.test)?\.ts)$/;

/** Every use of a ruled-out phrase, as `path:line: …` with what to write instead. */
export const languageProblems = (files: readonly TextFile[]): string[] =>
  files.filter(({ path }) => !QUOTES.test(path)).flatMap(file => [...phraseProblems(file), ...commentProblems(file)]);

const phraseProblems = ({ path, text }: TextFile): string[] =>
  text.split('\n').flatMap((line, index) =>
    PHRASES.flatMap(([pattern, instead]) => {
      const found = pattern.exec(line);
      return found ? [`${path}:${index + 1}: "${found[0].trim()}"; write: ${instead}`] : [];
    }),
  );

const commentProblems = ({ path, text }: TextFile): string[] =>
  path.endsWith('.ts')
    ? [...text.matchAll(HEADLESS)].map(
        ({ 1: word, index }) =>
          `${path}:${text.slice(0, index).split('\n').length}: a doc comment starts with "${word}"; start with a verb or a noun`,
      )
    : [];

const TYPE = /^(?:export )?(?:interface|type|class) ([A-Z]\w*)/gm;

/** Participles that were used as type names. A type is named after a thing. */
const PARTICIPLE =
  /^(Asked|Chosen|Done|Ended|Ending|Following|Found|Given|Gone|Held|Judged|Kept|Known|Left|Looked|Made|Meant|Named|Opened|Planned|Reading|Running|Said|Seen|Sending|Shown|Standing|Started|Stopped|Struck|Taken|Telling|Told|Waiting|Wanted|Watched|Watching|Written)$/;

/** Type names that two files of the given sources share, and type names that are a bare participle. */
export function typeNameProblems(files: readonly TextFile[]): string[] {
  const declared = new Map<string, Set<string>>();
  for (const { path, text } of files) {
    for (const [, name = ''] of text.matchAll(TYPE)) {
      declared.set(name, (declared.get(name) ?? new Set<string>()).add(path));
    }
  }
  return [...declared].flatMap(([name, paths]) => [
    ...(paths.size > 1 ? [`${name} is declared in ${[...paths].join(' and ')}; give each type its own name`] : []),
    ...(PARTICIPLE.test(name) ? [`${name} in ${[...paths].join(', ')} is a participle; name the thing`] : []),
  ]);
}
