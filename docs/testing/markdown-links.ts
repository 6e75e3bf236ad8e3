/** Links of a page to files or headings of the repository, in order. Code blocks and code spans are not searched. */
export function relativeLinks(page: string): string[] {
  const prose = withoutCode(page).replaceAll(/`[^`\n]+`/g, '');
  const links = [...prose.matchAll(/\]\(<?([^)\s>]+)>?(?: "[^"]*")?\)/g)].map(([, link = '']) => link);
  return links.filter(link => !/^[a-z][a-z+.-]*:/.test(link));
}

/** Anchors that GitHub generates for the headings of a page. */
export function headingAnchors(page: string): string[] {
  const seen = new Map<string, number>();
  return [...withoutCode(page).matchAll(/^#{1,6} (.+)$/gm)].map(([, heading = '']) => {
    const anchor = anchorOf(heading);
    const count = seen.get(anchor) ?? 0;
    seen.set(anchor, count + 1);
    return count === 0 ? anchor : `${anchor}-${count}`;
  });
}

const withoutCode = (page: string): string => page.replaceAll(/^ *(```+)[^\n]*\n[\s\S]*?^ *\1$/gm, '');

const anchorOf = (heading: string): string =>
  heading
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(/\s/g, '-');
