"""Pages in a browser: sorting, filtering, the theme, maps; nothing is fetched, nothing complains, nothing overflows.

    python3 pages.py PAGE...        one line a page, status 1 when something is wrong
"""
import sys

from chrome import Chrome

WIDTHS = (1200, 400)

# Texts of a column of the first sortable table that has numbers in that column.
COLUMN = '''(function(t, i) { return Array.from(t.tBodies[0].rows).map(function(r) {
    return r.cells[i].getAttribute('data-v') }) })(%s, %d)'''
TABLE = "document.querySelectorAll('table.sorted')[%d]"


def check(good, what):
    if not good:
        raise AssertionError(what)


def in_order(values, up):
    """Empty ones stand at the end, whatever the direction."""
    numbers = [float(v) for v in values if v]
    check(values == [v for v in values if v] + [''] * (len(values) - len(numbers)), 'empty values')
    return numbers == sorted(numbers, reverse=not up)


def sorting(c):
    """Every numeric column of every table, by mouse and by keyboard, in both directions."""
    done = 0
    for table in range(c.value("document.querySelectorAll('table.sorted').length")):
        heads = c.value('Array.from(%s.querySelectorAll("th[data-sort]")).map(function(h) {'
                        'return [+h.dataset.sort, h.classList.contains("text")] })' % (TABLE % table))
        for column, text in heads:
            values = None if text else c.value(COLUMN % (TABLE % table, column))
            if not values or None in values or len(set(values)) < 2:
                continue
            head = '%s.querySelector(\'th[data-sort="%d"]\')' % (TABLE % table, column)
            c.value(head + '.click()')
            check(in_order(c.value(COLUMN % (TABLE % table, column)), False), 'downwards')
            check(c.value(head + '.getAttribute("aria-sort")') == 'descending', 'aria-sort')
            c.value(head + '.dispatchEvent(new KeyboardEvent("keydown", {key: "Enter"}))')
            check(in_order(c.value(COLUMN % (TABLE % table, column)), True), 'upwards')
            check(sorted(c.value(COLUMN % (TABLE % table, column))) == sorted(values), 'rows lost')
            done += 1
    return done


def filtering(c):
    boxes = c.value("document.querySelectorAll('input.filter').length")
    for i in range(boxes):
        shown = '''(function() { var f = document.querySelectorAll('input.filter')[%d];
            f.value = %%s; f.dispatchEvent(new Event('input'));
            return Array.from(f.nextElementSibling.querySelectorAll('tbody tr'))
                .filter(function(r) { return !r.hidden }).length })()''' % i
        everything = c.value(shown % "''")
        name = c.value("document.querySelectorAll('input.filter')[%d].nextElementSibling"
                       ".querySelector('tbody td').textContent" % i)
        some = c.value(shown % repr(name.upper()))
        check(0 < some <= everything, 'filter')
        check(c.value(shown % "'no such row'") == 0, 'filter of nothing')
        check(c.value(shown % "''") == everything, 'filter taken away')
    return boxes


def theme(c):
    """The button changes the ground, and a second time back; the choice outlives a reload."""
    ground = 'getComputedStyle(document.body).backgroundColor'
    first = c.value(ground)
    c.value("document.getElementById('theme').click()")
    second = c.value(ground)
    check(first != second, 'the theme does not change')
    c.value("document.getElementById('theme').click()")
    check(c.value(ground) == first, 'the theme does not change back')


def maps(c):
    """Cells are painted, and the one under the mouse is named."""
    n = c.value("document.querySelectorAll('.map canvas').length")
    for i in range(n):
        painted = c.value('''(function(c) { var d = c.getContext('2d').getImageData(0, 0, c.width,
            c.height).data, n = 0; for (var i = 3; i < d.length; i += 4) n += d[i] > 0;
            return n })(document.querySelectorAll('.map canvas')[%d])''' % i)
        check(painted > 0, 'an empty map')
    if n:
        rest = c.value("document.querySelector('.map-at').textContent")
        c.move_to('.map canvas', 0.3, 0.6)
        check('\u00d7' in c.value("document.querySelector('.map-at').textContent"), 'no name')
        c.move_to('h1')
        check(c.value("document.querySelector('.map-at').textContent") == rest, 'name stays')
    return n


def contents(c):
    links = c.value("Array.from(document.querySelectorAll('nav a')).map(function(a) {"
                    "return !!document.querySelector(a.getAttribute('href')) })")
    heads = c.value("document.querySelectorAll('h2').length")
    check(all(links) and len(links) == (heads if heads > 2 else 0), 'contents')


def overlaps(c):
    """Words of a chart that lie on each other, among those that are of one kind and stand upright."""
    return c.value('''(function() { var bad = [];
        document.querySelectorAll('svg').forEach(function(s) {
            var t = Array.from(s.querySelectorAll('text:not(.in):not([transform])')).map(function(e) {
                return [e.getBoundingClientRect(), e.textContent] });
            for (var i = 0; i < t.length; i++) for (var j = i + 1; j < t.length; j++) {
                var a = t[i][0], b = t[j][0];
                if (a.width && b.width && a.left < b.right - 1 && b.left < a.right - 1 &&
                    a.top < b.bottom - 3 && b.top < a.bottom - 3)
                    bad.push(t[i][1] + ' / ' + t[j][1]) } });
        return bad })()''')


def policy(c, path):
    """What somebody got into a page is neither run nor obeyed."""
    foreign = path + '.foreign.html'
    with open(path, encoding='utf-8') as f:
        text = f.read()
    with open(foreign, 'w', encoding='utf-8') as f:
        f.write(text.replace('<nav', '<p id="foreign" style="position:fixed" onclick="foreign=1">p</p>'
                             '<style>#foreign{float:left}</style><script>foreign=2</script><nav'))
    c.open(foreign)
    c.value("document.getElementById('foreign').click()")
    check(c.value('typeof foreign.nodeName') == 'string', 'a foreign script runs')
    check(c.value("getComputedStyle(foreign).position + getComputedStyle(foreign).float")
          == 'staticnone', 'a foreign style is obeyed')
    check(len(c.complaints) >= 4, 'nothing is refused')


def page(c, path):
    policy(c, path)
    for dark in (False, True):
        for width in WIDTHS:
            c.open(path, width, dark)
            check(c.value('document.documentElement.scrollWidth') <= width, 'wider than the window')
    c.value("document.querySelectorAll('details').forEach(function(d) { d.open = true })")
    check(c.value('document.documentElement.scrollWidth') <= WIDTHS[-1], 'details are too wide')
    c.open(path)
    found = overlaps(c)
    check(not found, 'words overlap: ' + '; '.join(found[:5]))
    contents(c)
    theme(c)
    counts = sorting(c), filtering(c), maps(c)
    elsewhere = [r for r in c.requests if not r.startswith(('file:', 'data:', 'about:'))]
    files = [r for r in c.requests if r.startswith('file:')]
    check(not elsewhere and len(set(files)) == 1, 'asks for ' + str(elsewhere or files))
    check(not c.complaints, 'complains: ' + '; '.join(c.complaints))
    return '%s, %d tables filtered, %d maps' % ('sorted' if counts[0] else 'nothing to sort',
                                                *counts[1:])


def main():
    bad = 0
    with Chrome() as c:
        for path in sys.argv[1:]:
            try:
                print('%s: %s' % (path, page(c, path)))
            except AssertionError as problem:
                print('%s: %s' % (path, problem))
                bad = 1
    return bad


if __name__ == '__main__':
    sys.exit(main())
