/**
 * `$(NAME)` becomes the value of NAME if there is one and stays as it is if not; `$$` is one `$`, so `$$(NAME)` is the
 * text `$(NAME)`. As Kubernetes expands command, args and env.
 */
export function expand(text: string, variables: ReadonlyMap<string, string>): string {
  return text.replaceAll(/\$\$|\$\(([^)]*)\)/g, (match, name: string | undefined) =>
    name === undefined ? '$' : (variables.get(name) ?? match),
  );
}
