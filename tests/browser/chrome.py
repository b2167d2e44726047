"""A headless Chromium that is asked through a pipe: the DevTools protocol, with the standard library alone.

    with Chrome() as c:
        c.open('report.html', width=1200, dark=True)
        c.value('document.title')       # what an expression gives
        c.picture('report.png')         # the whole page
        c.complaints, c.requests        # errors and warnings of the console; addresses asked for

As a program it takes pictures: chrome.py PAGE PICTURE [WIDTH [TOP HEIGHT [SCALE]]].
"""
import base64
import json
import os
import select
import shutil
import subprocess
import sys
import tempfile
import time

NAMES = ('chromium', 'chromium-browser', 'google-chrome')


def find():
    """The program, or None."""
    return next((path for path in map(shutil.which, NAMES) if path), None)


class Chrome:
    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix='basin-browser-')
        self.number, self.rest = 0, b''
        self.complaints, self.requests = [], []
        to_it, self.give = os.pipe()
        self.take, from_it = os.pipe()

        def plug():  # the browser reads from 3 and writes to 4
            a, b = os.dup(to_it), os.dup(from_it)
            os.dup2(a, 3)
            os.dup2(b, 4)

        self.process = subprocess.Popen(
            [find(), '--headless=new', '--no-sandbox', '--disable-gpu', '--disable-extensions',
             '--no-first-run', '--disable-background-networking', '--hide-scrollbars',
             '--user-data-dir=' + self.folder, '--remote-debugging-pipe', 'about:blank'],
            preexec_fn=plug, close_fds=False, stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_it)
        os.close(from_it)
        targets = self.ask('Target.getTargets')['targetInfos']
        page = next(t for t in targets if t['type'] == 'page')
        self.session = self.ask('Target.attachToTarget', targetId=page['targetId'],
                                flatten=True)['sessionId']
        for area in ('Page', 'Runtime', 'Log', 'Network'):
            self.ask(area + '.enable')

    session = None

    def __enter__(self):
        return self

    def __exit__(self, *ignored):
        try:
            self.session = None
            self.ask('Browser.close')
        except (OSError, TimeoutError):
            pass
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    # ---- the protocol ----

    def message(self, seconds=60):
        end = time.monotonic() + seconds
        while b'\0' not in self.rest:
            ready, _, _ = select.select([self.take], [], [], max(0, end - time.monotonic()))
            piece = os.read(self.take, 1 << 20) if ready else b''
            if not piece:
                raise TimeoutError('the browser does not answer')
            self.rest += piece
        text, self.rest = self.rest.split(b'\0', 1)
        return json.loads(text)

    def note(self, event):
        name, about = event.get('method'), event.get('params', {})
        if name == 'Runtime.exceptionThrown':
            self.complaints.append(about['exceptionDetails'].get('text', 'exception'))
        elif name == 'Runtime.consoleAPICalled' and about['type'] in ('error', 'warning'):
            self.complaints.append(str([a.get('value') for a in about['args']]))
        elif name == 'Log.entryAdded' and about['entry']['level'] in ('error', 'warning'):
            self.complaints.append(about['entry']['text'])
        elif name == 'Network.requestWillBeSent':
            self.requests.append(about['request']['url'])

    def ask(self, method, **about):
        self.number += 1
        order = {'id': self.number, 'method': method, 'params': about}
        if self.session:
            order['sessionId'] = self.session
        os.write(self.give, json.dumps(order).encode() + b'\0')
        while True:
            answer = self.message()
            if answer.get('id') == self.number:
                if 'error' in answer:
                    raise RuntimeError(method + ': ' + answer['error']['message'])
                return answer['result']
            self.note(answer)

    # ---- pages ----

    def open(self, path, width=1200, dark=False):
        self.complaints, self.requests = [], []
        self.ask('Emulation.setDeviceMetricsOverride', width=width, height=900,
                 deviceScaleFactor=1, mobile=False)
        self.ask('Emulation.setEmulatedMedia', features=[
            {'name': 'prefers-color-scheme', 'value': 'dark' if dark else 'light'}])
        url = 'file://' + os.path.abspath(path)
        os.stat(path)
        self.ask('Page.navigate', url='about:blank')
        self.ask('Page.navigate', url=url)
        end = time.monotonic() + 60
        while not self.value("document.readyState === 'complete' && "
                             "decodeURI(location.href) === " + json.dumps(url)):
            if time.monotonic() > end:
                raise TimeoutError('the page does not load')
            time.sleep(0.02)

    def value(self, expression):
        got = self.ask('Runtime.evaluate', expression=expression, returnByValue=True,
                       awaitPromise=True)
        if 'exceptionDetails' in got:
            raise RuntimeError(expression + ': ' + json.dumps(got['exceptionDetails'])[:400])
        return got['result'].get('value')

    def move_to(self, selector, x=0.5, y=0.5):
        """The mouse, to a place in an element, which is scrolled to."""
        box = self.value(
            "(function(){var e=document.querySelector(%s);e.scrollIntoView({block:'center'});"
            "var b=e.getBoundingClientRect();return [b.left,b.top,b.width,b.height]})()"
            % json.dumps(selector))
        self.ask('Input.dispatchMouseEvent', type='mouseMoved', x=box[0] + x * box[2],
                 y=box[1] + y * box[3])

    def picture(self, path, top=0, height=None, width=None, scale=1):
        size = self.ask('Page.getLayoutMetrics')['cssContentSize']
        shot = self.ask('Page.captureScreenshot', format='png', captureBeyondViewport=True,
                        clip={'x': 0, 'y': top, 'width': width or size['width'],
                              'height': min(height or size['height'], size['height'] - top),
                              'scale': scale})
        with open(path, 'wb') as f:
            f.write(base64.b64decode(shot['data']))


if __name__ == '__main__':
    place = [float(number) for number in sys.argv[3:]]
    with Chrome() as browser:
        browser.open(sys.argv[1], width=int(place[0]) if place else 1200)
        browser.picture(sys.argv[2], *place[1:3], scale=place[3] if len(place) > 3 else 1)
