// The default theme with the fonts of the system, so that no font has to be loaded.
import theme from 'vitepress/theme-without-fonts';
import './style.css';

export default theme;
