const key = 'berth-single-keys';

/** Some people press keys by mistake, or speak to the computer (WCAG 2.2, 2.1.4). Kept in this browser. */
export const singleKeys = {
  areOn: (): boolean => localStorage.getItem(key) !== 'off',
  set: (areOn: boolean): void => localStorage.setItem(key, areOn ? 'on' : 'off'),
};
