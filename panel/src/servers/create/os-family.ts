/** What the slugs of an operating system begin with in all its versions: `debian` of `debian-12`. */
export const familyOf = (slug: string): string => slug.split('-')[0] ?? slug;

/** Its capital letters, or the first letter: `AL` of AlmaLinux. */
export const monogramOf = (name: string): string =>
  name
    .match(/\p{Lu}/gu)
    ?.slice(0, 2)
    .join('') ?? name.slice(0, 1).toUpperCase();
