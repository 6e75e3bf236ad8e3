/** Does the rest of a strike; where it fails, what was done so far is put back, for nobody else will. */
export async function orPutBack<T>(putBack: () => Promise<void>, rest: () => Promise<T>): Promise<T> {
  try {
    return await rest();
  } catch (error) {
    await putBack();
    throw error;
  }
}
