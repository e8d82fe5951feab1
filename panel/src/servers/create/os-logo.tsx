import { ThemeIcon } from '@mantine/core';
import IconBrandDebian from '@tabler/icons-react/icons/IconBrandDebian';
import IconBrandRedhat from '@tabler/icons-react/icons/IconBrandRedhat';
import IconBrandUbuntu from '@tabler/icons-react/icons/IconBrandUbuntu';
import { familyOf } from './os-family.ts';

const logos = new Map([
  ['debian', IconBrandDebian],
  ['ubuntu', IconBrandUbuntu],
  ['rhel', IconBrandRedhat],
]);

/** The logo of an operating system, or its first letters. */
export function OsLogo({ slug, name }: { slug: string; name: string }) {
  const Logo = logos.get(familyOf(slug));
  return (
    <ThemeIcon variant="default" size="md" aria-hidden>
      {Logo ? <Logo size={18} /> : <span>{name.slice(0, 2)}</span>}
    </ThemeIcon>
  );
}
