/** A page with its screens put in: each stands in the block after `<!-- screen: plan.txt -->`. */
export const withScreens = (page: string, screens: ReadonlyMap<string, string>): string =>
  page.replaceAll(/(<!-- screen: (\S+) -->\n```\n)[^`]*(```\n)/g, (whole, start: string, name: string, end: string) => {
    const screen = screens.get(name);
    return screen === undefined ? whole : `${start}${screen}${end}`;
  });

/** Which screens a page shows. */
export const screensIn = (page: string): string[] =>
  [...page.matchAll(/<!-- screen: (\S+) -->/g)].map(([, name = '']) => name);
