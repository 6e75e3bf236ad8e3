/** Replaces each code block after `<!-- screen: plan.txt -->` with the screen of that name. */
export const withScreens = (page: string, screens: ReadonlyMap<string, string>): string =>
  page.replaceAll(/(<!-- screen: (\S+) -->\n```\n)[^`]*(```\n)/g, (whole, start: string, name: string, end: string) => {
    const screen = screens.get(name);
    return screen === undefined ? whole : `${start}${screen}${end}`;
  });

/** Lists the screens of a page. */
export const screensIn = (page: string): string[] =>
  [...page.matchAll(/<!-- screen: (\S+) -->/g)].map(([, name = '']) => name);
